import * as fs from 'node:fs'
import { randomBytes } from 'node:crypto'
import { defined } from '../../shared/base/fields.ts'
import { isObject, jsonOf } from '../../shared/base/json.ts'
import { FUNCTIONS } from '../functions.ts'
import { codeOf } from '../simulators/toolkit/error-code.ts'
import { fieldsOf } from '../simulators/toolkit/json-body.ts'
import { readCommand, UsageError } from './command/command-line.ts'
import { startDeployment, type Deployment, type DeploymentOptions } from './deployment.ts'
import { FunctionFault } from './functions/functions.ts'
import { printedFailure } from './command/start-refusal.ts'

const EXIT = { answered: 0, failed: 1, usage: 2 } as const

const INVOKE_USAGE = `Usage: npm run invoke -- <function> <event.json> [options]

Calls one function with the event of a file and prints its answer. The table, the root key and the other services are those of npm start.
Samples of events are in test/events. The present time takes the place of the event's own.

  --data-dir <path>    whose data the function works on (.keymgr; KEYMGR_DATA_DIR)
  --in-memory          a deployment of its own, which is gone at the end
  --as-administrator   give the event the token of the administrator, whose password KEYMGR_ADMIN_PASSWORD is (in memory, any)
  --help               this text

The exit code is 0 for an answer of the function, whatever its status, 1 for a failure of the function or of the start, 2 for a command
that cannot be meant. Functions: ${FUNCTIONS.map(({ name }) => name).join(', ')}.
`

const OPTIONS = {
  'data-dir': { type: 'string' },
  'in-memory': { type: 'boolean' },
  'as-administrator': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

interface Invocation {
  readonly functionName: string
  readonly event: Readonly<Record<string, unknown>>
  /** `undefined` means in memory */
  readonly dataDir: string | undefined
  readonly adminPassword: string | undefined
  readonly asAdministrator: boolean
}

/** The output of a process, and its exit code. */
interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** Starts a deployment, calls one function and stops. Never throws. */
export async function invokeOnce(
  args: readonly string[],
  env: Environment,
  options: Pick<DeploymentOptions, 'bundles' | 'build'>,
): Promise<Ended> {
  try {
    const invocation = readInvocation(args, env)
    if (invocation === 'help') return { code: EXIT.answered, out: INVOKE_USAGE, err: '' }
    return await answerTo(invocation, options)
  } catch (error) {
    const code = error instanceof UsageError ? EXIT.usage : EXIT.failed
    return { code, out: '', err: printedFailure(error) }
  }
}

/** @throws UsageError */
function readInvocation(args: readonly string[], env: Environment): Invocation | 'help' {
  const { values, positionals } = readCommand(args, OPTIONS)
  if (values.help === true) return 'help'
  const [functionName, file, ...more] = positionals
  if (functionName === undefined || file === undefined || more.length > 0)
    throw new UsageError('Name a function and the file of an event; see --help.')
  if (!FUNCTIONS.some(({ name }) => name === functionName))
    throw new UsageError(`There is no function ${functionName}; see --help.`)
  const isInMemory = values['in-memory'] === true
  const password = env.KEYMGR_ADMIN_PASSWORD || undefined
  const asAdministrator = values['as-administrator'] === true
  if (asAdministrator && !isInMemory && password === undefined)
    throw new UsageError('--as-administrator needs the password in KEYMGR_ADMIN_PASSWORD, or --in-memory.')
  return {
    functionName,
    event: eventIn(file),
    dataDir: isInMemory ? undefined : (values['data-dir'] ?? env.KEYMGR_DATA_DIR) || '.keymgr',
    adminPassword: password ?? (isInMemory ? `Aa1-${randomBytes(12).toString('base64url')}` : undefined),
    asAdministrator,
  }
}

/** @throws UsageError for a file that cannot be read or is not a JSON object */
function eventIn(file: string): Readonly<Record<string, unknown>> {
  let text: string
  try {
    text = fs.readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`The event ${file} cannot be read (${codeOf(error)}).`, { cause: error })
  }
  const event = jsonOf(text)
  if (!isObject(event)) throw new UsageError(`The event ${file} is no JSON object.`)
  return event
}

async function answerTo(
  { functionName, event, dataDir, adminPassword, asAdministrator }: Invocation,
  { bundles, build }: Pick<DeploymentOptions, 'bundles' | 'build'>,
): Promise<Ended> {
  const deployment = await startDeployment({
    bundles,
    ...(build && { build }),
    ...(dataDir === undefined ? { inMemory: true } : { dataDir }),
    ...defined({ adminPassword }),
  })
  try {
    const token = asAdministrator ? await tokenOf(deployment, adminPassword ?? '') : undefined
    const answer = await deployment.invoke(functionName, presentEvent(event, deployment.clock.now(), token))
    return { code: EXIT.answered, out: `${JSON.stringify(answer, undefined, 2)}\n`, err: '' }
  } catch (error) {
    if (!(error instanceof FunctionFault)) throw error
    return { code: EXIT.failed, out: '', err: `${error.message}\n` }
  } finally {
    await deployment.stop()
  }
}

/** @throws UsageError if the administrator has another password */
async function tokenOf({ baseUrl, administrator }: Deployment, password: string): Promise<string> {
  const response = await fetch(`${baseUrl}/api/v1/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: administrator, password }),
  })
  if (response.status !== 200) throw new UsageError(`${administrator} cannot log in with KEYMGR_ADMIN_PASSWORD.`)
  return String(fieldsOf(await response.json()).jwt)
}

/** The event with the present time: a function refuses any other time, and would store it. */
export function presentEvent(event: Readonly<Record<string, unknown>>, now: Date, token: string | undefined): object {
  const { requestContext, headers, scheduled_time } = event
  return {
    ...event,
    ...(isObject(requestContext) && { requestContext: { ...requestContext, timeEpoch: now.getTime() } }),
    ...(scheduled_time !== undefined && { scheduled_time: now.toISOString() }),
    ...(token !== undefined && { headers: { ...(isObject(headers) && headers), authorization: `Bearer ${token}` } }),
  }
}
