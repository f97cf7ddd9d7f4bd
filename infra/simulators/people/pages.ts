import type { HttpAnswer } from '../toolkit/loopback.ts'
import { PEOPLE } from './people.ts'

const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0) ?? 0};`)

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:3rem auto;padding:0 1rem}
label{display:block;margin:.8rem 0}input{display:block;width:100%;box-sizing:border-box;font:inherit;padding:.4rem}
button{font:inherit;padding:.4rem 1rem}[role=alert]{color:light-dark(#b00020,#ff8a80)}`

const page = (status: number, title: string, content: string): HttpAnswer => ({
  status,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    // no form-action: browsers apply it to the redirect that follows a form too
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  },
  body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title><style>${STYLE}</style><h1>${escaped(title)}</h1>${content}</html>`,
})

/** A page with only a sentence. */
export const sentencePage = (status: number, title: string, sentence: string): HttpAnswer =>
  page(status, title, `<p role="status">${escaped(sentence)}</p>`)

interface LogInForm {
  readonly title: string
  readonly action: string
  /** the code of a device; a field asks for it, filled in as far as it is known */
  readonly userCode?: string
  /** why the last attempt failed */
  readonly wrong?: string | undefined
}

const input = (label: string, name: string, more: string): string =>
  `<label>${label}<input name="${name}" required ${more}></label>`

/** The page on which a person logs in. It names the people, since this provider is for trying things out. */
export function logInPage({ title, action, userCode, wrong }: LogInForm): HttpAnswer {
  const people = PEOPLE.map(({ name, password }) => `<li>${escaped(name)}: <code>${escaped(password)}</code></li>`)
  const fields = [
    ...(userCode === undefined ? [] : [input('Code', 'user_code', `autocomplete="off" value="${escaped(userCode)}"`)]),
    input('Name', 'username', 'autocomplete="username"'),
    input('Password', 'password', 'type="password" autocomplete="current-password"'),
  ]
  return page(
    wrong === undefined ? 200 : 400,
    title,
    `${wrong === undefined ? '' : `<p role="alert">${escaped(wrong)}</p>`}
<form method="post" action="${escaped(action)}">${fields.join('')}<button>Log in</button></form>
<p>A simulated identity provider. Its people:</p><ul>${people.join('')}</ul>`,
  )
}
