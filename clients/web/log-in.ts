import { call, Refused } from './api.ts'
import { element } from './element.ts'
import { byProvider } from './provider.ts'
import type { Session } from './session.ts'

interface Provider {
  readonly name: string
  readonly strategy: 'ldap' | 'oidc'
}

const field = (label: string, input: HTMLElement): HTMLLabelElement => element('label', {}, label, input)

/** A form that logs in by every way that is set up. @param done is called after log-in */
export function logInForm(session: Session, done: () => void): HTMLElement {
  const domain = element('input', { name: 'domain', autocomplete: 'organization', placeholder: 'root' })
  const name = element('input', { name: 'name', autocomplete: 'username', required: true, autofocus: true })
  const password = element('input', {
    name: 'password',
    type: 'password',
    autocomplete: 'current-password',
    required: true,
  })
  const connection = element(
    'select',
    { name: 'connection' },
    element('option', { value: '' }, 'Users of this service'),
  )
  const ways = field('Account', connection)
  ways.hidden = true
  const fault = element('p', { className: 'fault', role: 'alert' })
  const banner = element('p', { className: 'banner' })
  const others = element('div')
  const submit = element('button', { className: 'main', type: 'submit' }, 'Log in')
  const certificate = element('button', { type: 'button' }, 'Log in with a certificate')

  const inDomain = (): object => (domain.value === '' ? {} : { domain: domain.value })
  const attempt = async (logIn: () => Promise<void>): Promise<void> => {
    fault.textContent = ''
    for (const input of [name, password]) input.removeAttribute('aria-invalid')
    submit.disabled = true
    try {
      await logIn()
      done()
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      fault.textContent = error.message
      if (error.problem.status === 401) password.setAttribute('aria-invalid', 'true')
    } finally {
      submit.disabled = false
      password.value = ''
    }
  }
  const lookForWays = async (): Promise<void> => {
    const query = domain.value === '' ? '' : `&domain=${encodeURIComponent(domain.value)}`
    const { resources } = await call<{ resources: readonly Provider[] }>(`/v1/auth/id-providers?limit=100${query}`)
    const directories = resources.filter(({ strategy }) => strategy === 'ldap')
    connection.replaceChildren(
      element('option', { value: '' }, 'Users of this service'),
      ...directories.map((each) => element('option', { value: each.name }, each.name)),
    )
    ways.hidden = directories.length === 0
    others.replaceChildren(
      ...resources
        .filter(({ strategy }) => strategy === 'oidc')
        .map((provider) => {
          const button = element('button', { type: 'button' }, `Log in with ${provider.name}`)
          const logIn = async (): Promise<void> => session.logIn(await byProvider(provider.name, inDomain()))
          button.addEventListener('click', () => void attempt(logIn))
          return button
        }),
    )
  }
  const form = element(
    'form',
    { className: 'log-in', noValidate: false },
    element('h2', {}, 'Log in'),
    banner,
    field('Domain', domain),
    ways,
    field('Name', name),
    field('Password', password),
    fault,
    submit,
    others,
    certificate,
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const given = { name: name.value, password: password.value, ...inDomain() }
    const by = connection.value === '' ? {} : { connection: connection.value }
    void attempt(() => session.logIn({ ...given, ...by }))
  })
  certificate.addEventListener(
    'click',
    () => void attempt(() => session.logIn({ grant_type: 'user_certificate', ...inDomain() })),
  )
  domain.addEventListener('change', () => void lookForWays().catch(() => undefined))
  void lookForWays().catch(() => undefined)
  void call<{ message: string }>('/v1/auth/banners/pre-auth')
    .then(({ message }) => (banner.textContent = message))
    .catch(() => undefined)
  return form
}
