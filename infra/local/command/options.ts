import { defined } from '../../../shared/base/fields.ts'
import { PROTOCOLS } from '../../../shared/endpoints/all.ts'
import { LEGACY_ALGORITHMS, OTLP_ENDPOINT } from '../../functions.ts'
import { SIMULATORS } from '../../simulators/all.ts'
import { readArguments, UsageError } from './command-line.ts'

export interface StartOptions {
  readonly port: number
  /** `undefined` means no HTTPS */
  readonly tlsPort?: number
  readonly dataDir: string
  readonly inMemory: boolean
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly adminPassword?: string
  readonly beginAnew?: true
  readonly recoverAdministrator?: true
  /** of a collector */
  readonly otlp?: string
}

export const USAGE = `Usage: npm start -- [options]

Runs the whole service on this machine, on the loopback address only.

  --port <number>      HTTP port, 0 for any free one (8080; KEYMGR_PORT)
  --tls-port <number>  HTTPS port, 0 for none (8443; KEYMGR_TLS_PORT)
  --data-dir <path>    where everything is kept (.keymgr; KEYMGR_DATA_DIR)
  --in-memory          keep nothing: all is gone at the end (KEYMGR_IN_MEMORY=1)
  --begin-anew         make an empty table where the data directory has lost its own
  --recover-administrator
                       give the user admin a new password, shown once
  --tls-cert <file>    certificate chain for HTTPS, PEM (self-made without; needs --tls-key)
  --tls-key <file>     its private key, PEM
  --otlp <address>     send spans of traces to this collector (none; KEYMGR_OTLP_ENDPOINT)
  --help               this text

KEYMGR_ADMIN_PASSWORD sets the administrator's password at the first start; without it one is made and shown once.
AWS_ENDPOINT_URL_DYNAMODB names a table service to use instead of the embedded one.
${SIMULATORS.map(({ variable, cloud }) => `${variable} names a ${cloud} to use instead of the simulated one.`).join('\n')}
KEYMGR_AUDIT_RETENTION_DAYS is how long audit records are kept, in days, or never (90).
KEYMGR_LEGACY_ALGORITHMS=allowed lets keys be made that may no longer protect data, such as RSA with 1024 bits (refused).
KEYMGR_CALLS_PER_SECOND is how many calls a domain may make to each function (50).
${PROTOCOLS.flatMap(({ settings = {} }) => Object.entries(settings).map(([name, meaning]) => `${name} ${meaning}`)).join('\n')}
`

/** @returns `'help'` if help was requested. @throws UsageError */
export function parseOptions(args: readonly string[], env: Readonly<NodeJS.ProcessEnv>): StartOptions | 'help' {
  const values = readArguments(args, OPTIONS)
  if (values.help === true) return 'help'
  const tlsPort = portOf('--tls-port', values['tls-port'], 'KEYMGR_TLS_PORT', env, 8443)
  const dataDir = values['data-dir'] ?? presentIn(env, 'KEYMGR_DATA_DIR') ?? '.keymgr'
  if (dataDir === '') throw new UsageError('--data-dir needs a path.')
  const tlsCert = values['tls-cert']
  const tlsKey = values['tls-key']
  if ((tlsCert === undefined) !== (tlsKey === undefined)) throw new UsageError('--tls-cert and --tls-key go together.')
  if (tlsCert !== undefined && tlsPort === 0) throw new UsageError('--tls-cert needs a --tls-port other than 0.')
  const adminPassword = presentIn(env, 'KEYMGR_ADMIN_PASSWORD')
  requireChoice(env, LEGACY_ALGORITHMS, ['allowed', 'refused'])
  return {
    port: portOf('--port', values.port, 'KEYMGR_PORT', env, 8080),
    ...(tlsPort !== 0 && { tlsPort }),
    dataDir,
    inMemory: values['in-memory'] ?? flagOf(env, 'KEYMGR_IN_MEMORY'),
    ...(values['begin-anew'] === true && { beginAnew: true }),
    ...(values['recover-administrator'] === true && { recoverAdministrator: true }),
    ...defined({ tlsCert, tlsKey, adminPassword, otlp: collectorOf(values.otlp, env) }),
  }
}

const OPTIONS = {
  port: { type: 'string' },
  'tls-port': { type: 'string' },
  'data-dir': { type: 'string' },
  'in-memory': { type: 'boolean' },
  'begin-anew': { type: 'boolean' },
  'recover-administrator': { type: 'boolean' },
  'tls-cert': { type: 'string' },
  'tls-key': { type: 'string' },
  otlp: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

/** An empty variable counts as absent, because shells and container files set variables to nothing. */
const presentIn = (env: Readonly<NodeJS.ProcessEnv>, name: string): string | undefined => env[name] || undefined

const MAX_PORT = 65_535

function portOf(
  option: string,
  value: string | undefined,
  variable: string,
  env: Readonly<NodeJS.ProcessEnv>,
  otherwise: number,
) {
  const [name, given] = value === undefined ? [variable, presentIn(env, variable)] : [option, value]
  if (given === undefined) return otherwise
  if (/^\d{1,5}$/.test(given) && Number(given) <= MAX_PORT) return Number(given)
  throw new UsageError(`${name} must be a number between 0 and ${MAX_PORT}, not "${given}".`)
}

function flagOf(env: Readonly<NodeJS.ProcessEnv>, variable: string): boolean {
  const given = presentIn(env, variable)
  if (given === undefined || given === '0' || given === 'false') return false
  if (given === '1' || given === 'true') return true
  throw new UsageError(`${variable} must be 1, true, 0 or false, not "${given}".`)
}

function collectorOf(value: string | undefined, env: Readonly<NodeJS.ProcessEnv>): string | undefined {
  const [name, given] =
    value === undefined ? [OTLP_ENDPOINT, presentIn(env, OTLP_ENDPOINT)] : (['--otlp', value] as const)
  if (given === undefined || /^https?:$/.test(URL.parse(given)?.protocol ?? '')) return given
  throw new UsageError(`${name} must be an address that begins with http:// or https://, not "${given}".`)
}

/** For a variable that functions read: a wrong value is refused here instead of at the first request. */
function requireChoice(env: Readonly<NodeJS.ProcessEnv>, variable: string, allowed: readonly string[]): void {
  const given = presentIn(env, variable)
  if (given === undefined || allowed.includes(given)) return
  throw new UsageError(`${variable} must be ${allowed.join(' or ')}, not "${given}".`)
}
