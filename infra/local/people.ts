import * as fs from 'node:fs'
import * as path from 'node:path'
import { startDirectory, type Directory } from '../simulators/people/directory.ts'
import { GROUPS_DN, PEOPLE_DN, READER } from '../simulators/people/entries.ts'
import { PEOPLE } from '../simulators/people/people.ts'
import { CLIENT, startIdentityProvider, type IdentityProvider } from '../simulators/people/provider.ts'
import { codeOf } from '../simulators/toolkit/error-code.ts'
import { ownText } from '../simulators/toolkit/own-text.ts'
import type { Clock } from './clock.ts'
import { FILES, writeWhole } from './data/data-directory.ts'
import { ownIdentity, type TlsIdentity } from './gateway/certificate.ts'

/** Where people log in on this machine: a company's identity provider and its directory, which know the same people. */
export interface StartedPeople {
  readonly issuer: string
  readonly directoryUrl: string
  /** Members of `endpoints.json`. */
  readonly endpoints: Readonly<Record<string, object>>
}

interface Setting {
  readonly clock: Clock
  readonly dataDir: string | undefined
  /** of the front door */
  readonly identity: TlsIdentity | undefined
  readonly tlsBaseUrl: string | undefined
}

interface Ports {
  readonly provider: number
  readonly directory: number
}

const PORTS = ownText<Ports>()
/** The pages on which people log in, on any port of this machine. */
const PAGES = ['console/', 'api/guide/']

const portIn = (address: string): number => Number(new URL(address).port)

/** The ports of the last start, because log-in connections name them. */
function keptPorts(file: string | undefined): Partial<Ports> {
  if (file === undefined || !fs.existsSync(file)) return {}
  return PORTS.read(fs.readFileSync(file, 'utf8'))
}

/** Starts a server at a port, or at any free one where another program has it now. */
async function startAt<T>(port: number | undefined, start: (port?: number) => Promise<T>): Promise<T> {
  try {
    return await start(port)
  } catch (error) {
    if (port === undefined || codeOf(error) !== 'EADDRINUSE') throw error
    return start()
  }
}

/** @param undo receives one step for each server, as soon as it runs */
export async function startPeople(
  { clock, dataDir, identity, tlsBaseUrl }: Setting,
  undo: (() => unknown)[],
): Promise<StartedPeople> {
  const file = dataDir === undefined ? undefined : path.join(dataDir, FILES.people)
  const kept = keptPorts(file)
  const { cert, key } = identity?.anchor === undefined ? ownIdentity(dataDir, new Date()) : identity
  const provider = await startAt(kept.provider, (port) => startIdentityProvider(clock, port))
  undo.push(provider.stop)
  const directory = await startAt(kept.directory, (port) => startDirectory({ cert, key }, port))
  undo.push(directory.stop)
  const ports = { provider: portIn(provider.issuer), directory: portIn(directory.url) }
  if (file !== undefined && (ports.provider !== kept.provider || ports.directory !== kept.directory))
    writeWhole(file, PORTS.write(ports))
  const people = PEOPLE.map(({ name, password, groups }) => ({ name, password, groups }))
  return {
    issuer: provider.issuer,
    directoryUrl: directory.tlsUrl,
    endpoints: {
      identity_provider: { connection: connectionToProvider(provider, tlsBaseUrl), people },
      directory: { connection: connectionToDirectory(directory, cert), people },
    },
  }
}

/** The fields `oidc` of a log-in connection. */
function connectionToProvider({ issuer }: IdentityProvider, tlsBaseUrl: string | undefined): object {
  const origins = ['http://127.0.0.1', 'http://localhost', ...(tlsBaseUrl === undefined ? [] : [tlsBaseUrl])]
  return { issuer, ...CLIENT, redirect_uris: origins.flatMap((origin) => PAGES.map((page) => `${origin}/${page}`)) }
}

/** The fields `ldap` of a log-in connection. */
const connectionToDirectory = ({ tlsUrl }: Directory, caCert: string): object => ({
  url: tlsUrl,
  ca_cert: caCert,
  bind_dn: READER.dn,
  bind_password: READER.password,
  base_dn: PEOPLE_DN,
  group_base_dn: GROUPS_DN,
  name_attribute: 'cn',
  email_attribute: 'mail',
})
