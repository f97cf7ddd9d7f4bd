import { call, Refused } from '../web/api.ts'
import { element, found } from '../web/element.ts'
import { logInForm } from '../web/log-in.ts'
import { handsOver } from '../web/provider.ts'
import { Session } from '../web/session.ts'

interface Sent {
  url: string
  headers: Record<string, string>
}

/** The component that shows the description: a separate script, loaded before this one. */
declare const SwaggerUIBundle: (options: {
  readonly url: string
  readonly domNode: HTMLElement
  readonly deepLinking: boolean
  readonly validatorUrl: null
  readonly docExpansion: 'none'
  readonly filter: boolean
  readonly tryItOutEnabled: boolean
  readonly persistAuthorization: boolean
  readonly requestInterceptor: (request: Sent) => Promise<Sent>
}) => unknown

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

async function showGuide(): Promise<void> {
  notice.textContent = ''
  const place = element('div', { id: 'guide' })
  main.replaceChildren(place)
  for (const each of [who, logOut]) each.hidden = false
  SwaggerUIBundle({
    url: '/api/v1/openapi.json',
    domNode: place,
    ...{ deepLinking: true, validatorUrl: null, docExpansion: 'none', filter: true },
    ...{ tryItOutEnabled: true, persistAuthorization: false },
    requestInterceptor: async (request) => {
      if (new URL(request.url, location.href).origin === location.origin)
        request.headers.authorization = `Bearer ${await session.token()}`
      return request
    },
  })
  await greet()
}

logOut.addEventListener('click', () => void session.logOut('You are logged out.'))
if (!handsOver())
  void session.resume().then((isOpen) => {
    if (isOpen) void showGuide()
    else showLogIn()
  })
