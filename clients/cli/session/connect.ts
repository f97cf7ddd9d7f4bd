import { readFileSync } from 'node:fs'
import { createKeymgr, type Keymgr } from '../../sdk/client.ts'
import { logIn } from '../../sdk/log-in.ts'
import { byClientCertificate, byPassword, byUserCertificate, type Way } from '../../sdk/ways.ts'
import { lastOf, type Shared } from '../arguments/parse.ts'
import { Failure, misused } from '../failures.ts'
import { absolute, addressOf, profileName, readConfig, type Profile } from './profiles.ts'
import { tokenOf } from './tokens.ts'

/** A service that is called without a token. */
export interface Reached {
  readonly url: string
  readonly keymgr: Keymgr
  readonly fetch?: typeof fetch
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw misused(`The file ${file} cannot be read.`, [], { cause })
  }
}

/** Adds the authorities of a file to those that Node trusts. */
async function trust(file: string | undefined): Promise<void> {
  if (file === undefined) return
  const { getCACertificates, setDefaultCACertificates } = await import('node:tls')
  try {
    setDefaultCACertificates([...getCACertificates('default'), textOf(file)])
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw misused(`The file ${file} has no certificates in PEM.`, [], { cause })
  }
}

/** A certificate with its private key. @throws Failure when the files do not contain them */
async function certificateOf(certFile: string, keyFile: string): Promise<{ cert: string; key: string }> {
  const identity = { cert: textOf(certFile), key: textOf(keyFile) }
  const { createSecureContext } = await import('node:tls')
  try {
    createSecureContext(identity)
  } catch (cause) {
    throw misused(`${certFile} and ${keyFile} are no certificate and its private key in PEM.`, [], { cause })
  }
  return identity
}

/** Connects to a service with the settings of a profile. */
export async function reach({
  url,
  certificate,
  key,
  ca,
}: Pick<Profile, 'url' | 'certificate' | 'key' | 'ca'>): Promise<Reached> {
  await trust(ca)
  if (certificate === undefined || key === undefined) return { url, keymgr: createKeymgr({ baseUrl: url }) }
  const { certificateFetch } = await import('../../sdk/node.ts')
  const own = certificateFetch(await certificateOf(certificate, key))
  return { url, keymgr: createKeymgr({ baseUrl: url, fetch: own }), fetch: own }
}

/** How a profile logs in again without the user. */
export function wayOf({ method, client_id: client, domain, auth_domain }: Profile): Way | undefined {
  if (method !== 'certificate') return undefined
  if (client !== undefined) return byClientCertificate(client)
  return byUserCertificate({ ...(domain && { domain }), ...(auth_domain && { auth_domain }) })
}

/** Name and password of the environment, which apply to one command and are never stored. */
function ofEnvironment(): Way | undefined {
  const { KEYMGR_NAME: name, KEYMGR_PASSWORD: password, KEYMGR_DOMAIN: domain } = process.env
  if (name === undefined || password === undefined) return undefined
  return byPassword({ name, password, ...(domain !== undefined && { domain }) })
}

/** The profile, overridden by the command line and the environment. */
export function settingsOf(shared: Shared): { name: string; profile: Profile } {
  const name = profileName(lastOf(shared, 'profile'))
  const known = readConfig().profiles[name]
  const given = lastOf(shared, 'url') ?? process.env.KEYMGR_URL ?? known?.url
  if (given === undefined)
    throw new Failure('unauthenticated', `There is no profile ${name}, and no --url.`, [
      'keymgr login --url https://keymgr.example.com/api logs in.',
    ])
  const insecure = shared.has('insecure-http') || known?.insecure_http === true
  const url = addressOf(given, insecure)
  const ca = lastOf(shared, 'ca') ?? process.env.KEYMGR_CA ?? known?.ca
  const profile: Profile = {
    method: 'password',
    ...(known?.url === url && known),
    url,
    ca: absolute(ca),
    ...(shared.has('insecure-http') && { insecure_http: true }),
  }
  return { name, profile }
}

/** Tokens for the calls of a command, and the end of a log-in that was only for the command. */
interface Tokens {
  readonly token: (refused?: string) => string | Promise<string>
  readonly logOut?: () => Promise<void>
}

/** Tokens from the environment, from the name and password there, or from the profile. */
function tokensFor(shared: Shared, profile: string, reached: Reached, renewal: Way | undefined): Tokens {
  const { KEYMGR_TOKEN: given } = process.env
  if (given !== undefined) return { token: () => given }
  const { url, keymgr, fetch } = reached
  const way = ofEnvironment()
  const isProfile = lastOf(shared, 'profile') !== undefined || process.env.KEYMGR_PROFILE !== undefined
  if (way !== undefined && !isProfile) return logIn(way, { baseUrl: url, ...(fetch && { fetch }) })
  return { token: (refused) => tokenOf({ profile, url, keymgr, way: renewal }, refused) }
}

/** Runs `work` with the service. A log-in only for this is ended afterwards, even after an error. */
export async function connected<T>(shared: Shared, work: (keymgr: Keymgr) => Promise<T>): Promise<T> {
  const { name, profile } = settingsOf(shared)
  const reached = await reach(profile)
  const { url, fetch } = reached
  const { token, logOut } = tokensFor(shared, name, reached, wayOf(profile))
  try {
    return await work(createKeymgr({ baseUrl: url, token, ...(fetch && { fetch }) }))
  } finally {
    await logOut?.().catch(() => undefined) // only the result of the work matters
  }
}
