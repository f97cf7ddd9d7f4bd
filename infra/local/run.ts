import { setTimeout } from 'node:timers/promises'
import { PROTOCOLS } from '../../shared/endpoints/all.ts'
import { OTLP_ENDPOINT, type FunctionRow } from '../functions.ts'
import { SIMULATORS } from '../simulators/all.ts'
import { startDeployment } from './deployment.ts'
import type { LogLine } from './log.ts'
import { UsageError } from './command/command-line.ts'
import { parseOptions, USAGE } from './command/options.ts'
import { endBundling, ready } from './command/start-lines.ts'
import { printedFailure } from './command/start-refusal.ts'

const EXIT = { done: 0, refused: 1, usage: 2 } as const
/**
 * npm repeats a signal that the terminal has already sent to all processes: two signals within this time count as one.
 */
const SAME_SIGNAL_MS = 500
const PARENT_CHECK_MS = 250

/** The functions that are run. */
export interface RunOptions {
  /** folder with `<name>/index.mjs` for every row */
  readonly bundles: string
  /** fills `bundles`; absent where they are part of a package */
  readonly build?: () => Promise<unknown>
  /** rows of a deployment that is not the whole one */
  readonly functions?: readonly FunctionRow[]
  /** how users start it, for the help */
  readonly command?: string
}

/** Builds the functions, runs the deployment until a signal ends it, then ends the process. */
export function run(options: RunOptions): void {
  process.env.TZ = 'UTC' // worker threads cannot set it
  main(options).then(
    () => process.exit(EXIT.done),
    (reason: unknown) => (reason instanceof Told ? process.exit(EXIT.done) : fail(reason)),
  )
}

async function main({ bundles, build, functions, command }: RunOptions): Promise<void> {
  const options = parseOptions(process.argv.slice(2), process.env)
  if (options === 'help') {
    process.stdout.write(command === undefined ? USAGE : USAGE.replace('npm start --', command))
    return
  }
  // A signal during the start takes effect when the start is complete enough to be undone.
  const ended = whenTold()
  const deployment = await startDeployment({
    ...options,
    bundles,
    ...(build && { build: () => build().catch((error: unknown) => endIfTold(error, ended)) }),
    ...(functions && { functions }),
    schedules: true,
    log: showWarnings,
    onFailure: fail,
    ...(process.env.AWS_ENDPOINT_URL_DYNAMODB && { tableEndpoint: process.env.AWS_ENDPOINT_URL_DYNAMODB }),
    cloudEndpoints: namedClouds(process.env),
    environment: { ...handedOn(process.env), ...(options.otlp !== undefined && { [OTLP_ENDPOINT]: options.otlp }) },
  })
  endBundling()
  const shown = { ...options, isPackage: command !== undefined, namedClouds: Object.keys(namedClouds(process.env)) }
  process.stdout.write(ready(deployment, shown))
  await ended
  await deployment.stop()
}

/**
 * The terminal's signal ends the bundler too, so its failure is then ignored. @throws `error` unless a signal has come
 */
async function endIfTold(error: unknown, ended: Promise<void>): Promise<never> {
  const told = await Promise.race([ended.then(() => true), setTimeout(SAME_SIGNAL_MS, false)])
  if (told) throw new Told('The start was ended.')
  throw error
}

/** A signal arrived during the start. */
class Told extends Error {
  override readonly name = 'Told'
}

/** Addresses of clouds that the user has set, by cloud. */
const namedClouds = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    SIMULATORS.flatMap(({ cloud, variable }) => {
      const address = env[variable]
      return address ? [[cloud, address]] : []
    }),
  )

/** Variables that the functions receive from the user's environment. */
const HANDED_ON: readonly string[] = [
  'KEYMGR_AUDIT_RETENTION_DAYS',
  'KEYMGR_CALLS_PER_SECOND',
  'KEYMGR_LEGACY_ALGORITHMS',
  'KEYMGR_STAGE',
  ...PROTOCOLS.flatMap(({ settings = {} }) => Object.keys(settings)),
]

const handedOn = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(HANDED_ON.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))

function showWarnings({ source, text, warns }: LogLine): void {
  if (warns) process.stderr.write(`${source}: ${text}\n`)
}

/**
 * Settles at the first SIGTERM or SIGINT; the second one ends the process at once. npm starts a script through a shell,
 * and a signal that npm passes on may end only that shell; so under npm the end of the parent process counts as a first
 * signal. Otherwise this process would keep port and lock unnoticed.
 */
function whenTold(): Promise<void> {
  return new Promise((resolve) => {
    let toldAt: number | undefined
    const told = () => {
      const now = performance.now()
      if (toldAt === undefined) {
        toldAt = now
        resolve()
      } else if (now - toldAt > SAME_SIGNAL_MS) process.exit(EXIT.refused)
    }
    process.on('SIGTERM', told).on('SIGINT', told)
    if (process.env.npm_lifecycle_event === undefined) return
    const parent = process.ppid
    const watch = setInterval(() => {
      if (process.ppid === parent) return
      clearInterval(watch)
      resolve()
    }, PARENT_CHECK_MS).unref()
  })
}

function fail(reason: unknown): void {
  endBundling()
  process.stderr.write(printedFailure(reason))
  process.exit(reason instanceof UsageError ? EXIT.usage : EXIT.refused)
}
