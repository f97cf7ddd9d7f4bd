import { call, Refused } from '../web/api.ts'
import { element, found } from '../web/element.ts'
import { logInForm } from '../web/log-in.ts'
import { handsOver } from '../web/provider.ts'
import { Session } from '../web/session.ts'
import type { Description } from './description.ts'
import { tagList } from './tags.ts'

const main = found('main', HTMLElement)
const notice = found('notice', HTMLParagraphElement)
const who = found('who', HTMLParagraphElement)
const logOut = found('log-out', HTMLButtonElement)
const session = new Session((why) => showLogIn(why))

function showLogIn(why = ''): void {
  notice.textContent = why
  for (const each of [who, logOut]) each.hidden = true
  main.replaceChildren(logInForm(session, () => void showGuide()))
}

const isLoggedIn = (): boolean => !logOut.hidden

/** Shows who is logged in, unless the session has ended when the answers arrive. */
async function greet(): Promise<void> {
  try {
    const token = await session.token()
    const [{ username }, { message }] = await Promise.all([
      call<{ username: string }>('/v1/auth/self/user', { token }),
      call<{ message: string }>('/v1/auth/banners/post-auth', { token }),
    ])
    if (!isLoggedIn()) return
    who.textContent = username
    notice.textContent = message
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    if (isLoggedIn()) notice.textContent = error.message
  }
}

/** Read once: a log-in again shows the same. */
let description: Promise<Description> | undefined

async function showGuide(): Promise<void> {
  notice.textContent = ''
  for (const each of [who, logOut]) each.hidden = false
  main.replaceChildren(element('p', { className: 'loading' }, 'Loading…'))
  void greet()
  try {
    const read = await (description ??= call<Description>('/v1/openapi.json'))
    if (isLoggedIn()) main.replaceChildren(tagList(read, () => session.token()))
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    description = undefined
    main.replaceChildren(element('p', { role: 'alert' }, error.message))
  }
}

/** The component has its own colours, which it chooses by a class instead of the browser's preference. */
const dark = window.matchMedia('(prefers-color-scheme: dark)')
const follow = (): unknown => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

logOut.addEventListener('click', () => void session.logOut('You are logged out.'))
if (!handsOver())
  void session.resume().then((isOpen) => {
    if (isOpen) void showGuide()
    else showLogIn()
  })
