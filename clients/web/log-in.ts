import { call, Refused, type Problem } from './api.ts'
import { element } from './element.ts'
import { NewPassword } from './new-password.ts'
import { byProvider } from './provider.ts'
import type { Session } from './session.ts'

interface Provider {
  readonly name: string
  readonly strategy: 'ldap' | 'oidc'
}

/** A password that must be changed before it can be used. */
const OUTDATED = 'urn:keymgr:problem:password-outdated'

const field = (label: string, input: HTMLElement): HTMLLabelElement => element('label', {}, label, input)

/** A user who is to log in. */
export interface Known {
  readonly domain: string
  readonly name: string
  /** domain of the user, if it is another one */
  readonly owner?: string
  /** the connection to the directory or provider that knows the user; absent for users of this service */
  readonly connection?: string
}

/**
 * A form for all available ways to log in.
 * @param done is called after log-in
 * @param known is filled in, and can be changed
 */
export function logInForm(session: Session, done: () => void, known?: Known): HTMLElement {
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
  const newPassword = new NewPassword()

  const ownerOf = (): string | undefined => (domain.value === known?.domain ? known.owner : undefined)
  const inDomain = (): object => (domain.value === '' ? {} : { domain: domain.value })
  const ofOwner = (): object => (ownerOf() === undefined ? {} : { auth_domain: ownerOf() })
  const askForNew = (isAsked: boolean): void => {
    if (isAsked) newPassword.ask()
    else newPassword.withdraw()
    submit.textContent = isAsked ? 'Change the password and log in' : 'Log in'
  }
  const tell = (problem: Problem): void => {
    if (problem.type === OUTDATED) return askForNew(true)
    if (newPassword.isAsked && newPassword.tells(problem)) return
    fault.textContent = problem.detail
    if (problem.status !== 401) return
    askForNew(false)
    password.setAttribute('aria-invalid', 'true')
  }
  let latest = new AbortController()
  /**
   * Tries to log in. This cancels an earlier attempt, for example one that waits for a provider whose window was
   * closed.
   */
  const attempt = async (logIn: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    latest.abort()
    const { signal } = (latest = new AbortController())
    fault.textContent = ''
    newPassword.hush()
    for (const input of [name, password]) input.removeAttribute('aria-invalid')
    try {
      await logIn(signal)
      done()
      latest.abort()
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof Refused)) throw error
      tell(error.problem)
    }
  }
  /** Changes the password if that is required. @returns the password to log in with */
  const presentPassword = async (): Promise<string> => {
    if (!newPassword.isAsked) return password.value
    const new_password = newPassword.value
    const owner = ownerOf() ?? domain.value
    const of = { username: name.value, ...(owner !== '' && { auth_domain: owner }) }
    await call('/v1/auth/changepw', { method: 'PATCH', body: { ...of, password: password.value, new_password } })
    askForNew(false)
    return new_password
  }
  const logInByPassword = async (): Promise<void> => {
    const by = connection.value === '' ? {} : { connection: connection.value }
    const given = { name: name.value, ...inDomain(), ...ofOwner(), ...by }
    await session.logIn({ ...given, password: await presentPassword() })
  }
  const attemptByPassword = async (): Promise<void> => {
    submit.disabled = true
    try {
      await attempt(logInByPassword)
    } finally {
      submit.disabled = false
      if (!newPassword.isAsked) password.value = ''
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
          const logIn = async (signal: AbortSignal): Promise<void> =>
            session.logIn(await byProvider(provider.name, inDomain(), signal))
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
    newPassword.part,
    fault,
    submit,
    others,
    certificate,
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void attemptByPassword()
  })
  for (const input of [domain, connection, name, password]) input.addEventListener('input', () => askForNew(false))
  certificate.addEventListener(
    'click',
    () => void attempt(() => session.logIn({ grant_type: 'user_certificate', ...inDomain() })),
  )
  domain.addEventListener('change', () => void lookForWays().catch(() => undefined))
  if (known !== undefined) {
    domain.value = known.domain
    name.value = known.name
  }
  void lookForWays()
    .then(() => {
      const isListed = [...connection.options].some(({ value }) => value === known?.connection)
      if (known?.connection !== undefined && isListed) connection.value = known.connection
    })
    .catch(() => undefined)
  void call<{ message: string }>('/v1/auth/banners/pre-auth')
    .then(({ message }) => (banner.textContent = message))
    .catch(() => undefined)
  return form
}
