import { readFileSync } from 'node:fs'
import { createKeymgr, type Keymgr } from '../../sdk/client.ts'
import { realTime } from '../../sdk/timing.ts'
import { byClientCertificate, byPassword, byUserCertificate, type Way } from '../../sdk/ways.ts'
import { lastOf, type Shared } from '../arguments/parse.ts'
import { Failure, misused } from '../failures.ts'
import { addressOf, profileName, readConfig, type Profile } from './profiles.ts'
import { tokenOf } from './tokens.ts'

/** A service, as it is called without a token. */
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

/** Trusts the authorities of a file besides those that Node trusts. */
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

/** A certificate with its private key. @throws Failure when the files are none */
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

/** A service, reached as a profile says. */
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

/** How a profile logs in again by itself. */
export function wayOf({ method, client_id: client, domain, auth_domain }: Profile): Way | undefined {
  if (method !== 'certificate') return undefined
  if (client !== undefined) return byClientCertificate(client)
  return byUserCertificate({ ...(domain && { domain }), ...(auth_domain && { auth_domain }) })
}

/** Name and password of the environment, which are for one call and never kept. */
function ofEnvironment(): Way | undefined {
  const { KEYMGR_NAME: name, KEYMGR_PASSWORD: password, KEYMGR_DOMAIN: domain } = process.env
  if (name === undefined || password === undefined) return undefined
  return byPassword({ name, password, ...(domain !== undefined && { domain }) })
}

/** The profile, with what the command line and the environment say otherwise. */
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
  return { name, profile: { method: 'password', ...(known?.url === url && known), url, ca } }
}

async function onceOf(way: Way, keymgr: Keymgr): Promise<string> {
  return (await way.begin({ keymgr, timing: realTime })).jwt
}

/** Calls with the token of the environment, or of the name and password there, or of the profile. */
export async function connect(shared: Shared): Promise<Keymgr> {
  const { name, profile } = settingsOf(shared)
  const { url, keymgr, fetch } = await reach(profile)
  const { KEYMGR_TOKEN: given } = process.env
  const way = ofEnvironment()
  const isProfile = lastOf(shared, 'profile') !== undefined || process.env.KEYMGR_PROFILE !== undefined
  const token = (refused?: string): string | Promise<string> => {
    if (given !== undefined) return given
    if (way !== undefined && !isProfile) return onceOf(way, keymgr)
    return tokenOf({ profile: name, url, keymgr, way: wayOf(profile) }, refused)
  }
  return createKeymgr({ baseUrl: url, token, ...(fetch && { fetch }) })
}
