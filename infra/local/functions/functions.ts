import { randomUUID } from 'node:crypto'
import { devNull } from 'node:os'
import * as path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { FunctionRow } from '../../functions.ts'
import { LOCAL_ACCOUNT } from '../stand-ins/account.ts'
import type { CallMessage, Fault, ReplyMessage, WorkerSetup } from './function-messages.ts'
import { warns, type Log } from '../log.ts'

/**
 * A function that threw, crashed, exceeded its time, or returned too large an answer. The caller gets the gateway's
 * 500.
 */
export class FunctionFault extends Error {
  override readonly name = 'FunctionFault'
  readonly fault: Fault
  constructor(functionName: string, fault: Fault) {
    super(`${functionName} failed: ${fault.text}`)
    this.fault = fault
  }
}

export interface LocalFunction {
  readonly environment: Readonly<Record<string, string>>
  /**
   * @param options.reported the caller reports a fault to the user; it is logged in any case
   * @throws FunctionFault
   */
  readonly invoke: (event: unknown, options?: { readonly reported: true }) => Promise<unknown>
  /** Waits for running calls, at most `withinMs`, then ends the worker; calls that still run fail. */
  readonly stop: (withinMs: number) => Promise<void>
  /** Ends the worker at once, as a crash would: running calls fail, the next call starts another worker. */
  readonly kill: () => Promise<void>
}

type Outcome = { readonly result: string } | { readonly fault: Fault }

interface Call {
  readonly settle: (outcome: Outcome) => void
}

/** One worker thread and its open calls. */
interface Instance {
  readonly worker: Worker
  readonly calls: Map<string, Call>
  /** Set after a time-out: the instance gets no new calls and ends with the last running one. */
  retired: boolean
}

/**
 * Folder beside the bundles where Node caches their compiled code: importing a bundle then takes a third to a half of
 * the processor time. If the folder is read-only, Node compiles as usual.
 */
const COMPILED = '.compiled'
const WORKER = new URL(`function-worker${path.extname(import.meta.filename)}`, import.meta.url)
/** Lambda's limit for a synchronous answer: 6 MiB plus 100 bytes. */
const MAX_ANSWER_BYTES = 6 * 1024 * 1024 + 100

/** @param options.bundles folder that holds `<name>/index.mjs` */
export function createFunction(
  row: FunctionRow,
  options: { bundles: string; environment: Readonly<Record<string, string>>; log: Log },
): LocalFunction {
  const folder = path.join(options.bundles, row.name)
  const environment = { ...lambdaEnvironment(row, folder), ...options.environment }
  const underWay = new Set<Promise<unknown>>()
  const workers = new Set<Worker>()
  let instance: Instance | undefined
  let stopping = false

  const start = (): Instance => {
    const started: Instance = { worker: startWorker(row, folder, environment), calls: new Map(), retired: false }
    const { worker, calls } = started
    workers.add(worker)
    logWorker(worker, row.name, options.log)
    worker.on('message', (reply: ReplyMessage) => calls.get(reply.id)?.settle(reply))
    worker.on('exit', (code) => {
      workers.delete(worker)
      if (instance === started) instance = undefined // the next call starts another instance
      for (const call of [...calls.values()])
        call.settle({ fault: platformFault('Runtime.ExitError', `the worker ended (exit code ${code})`) })
    })
    return started
  }

  const call = async (event: unknown, warns: boolean): Promise<unknown> => {
    if (stopping) throw new FunctionFault(row.name, platformFault('ServiceException', 'it is stopping'))
    const current = (instance ??= start())
    const id = randomUUID()
    const outcome = await outcomeOf(current, { id, event, timeoutSeconds: row.timeoutSeconds }, () => {
      if (instance === current) instance = undefined
    })
    const judged = 'result' in outcome ? withinLimit(outcome.result) : outcome
    if ('result' in judged) return JSON.parse(judged.result)
    options.log.write(row.name, `call ${id} failed: ${judged.fault.text}`, { warns })
    throw new FunctionFault(row.name, judged.fault)
  }

  return {
    environment,
    invoke: (event, options) => {
      const answer = call(event, options === undefined)
      const settled = answer.catch(() => undefined).finally(() => underWay.delete(settled))
      underWay.add(settled)
      return answer
    },
    stop: async (withinMs) => {
      stopping = true
      await atMost(withinMs, Promise.all(underWay))
      await Promise.all([...workers].map((worker) => worker.terminate()))
    },
    kill: async () => {
      instance = undefined
      await Promise.all([...workers].map((worker) => worker.terminate()))
    },
  }
}

function startWorker(row: FunctionRow, folder: string, environment: Readonly<Record<string, string>>): Worker {
  const logStream = `local/${randomUUID()}`
  const setup: WorkerSetup = {
    name: row.name,
    entry: pathToFileURL(path.join(folder, 'index.mjs')).href,
    arn: `arn:aws:lambda:${LOCAL_ACCOUNT.region}:${LOCAL_ACCOUNT.id}:function:${row.name}`,
    memoryMiB: row.memoryMiB,
    logStream,
  }
  return new Worker(WORKER, {
    workerData: setup,
    env: { ...environment, AWS_LAMBDA_LOG_STREAM_NAME: logStream },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: row.memoryMiB },
  })
}

/**
 * Runs one call on an instance.
 *
 * @param retire called at a time-out: the instance gets no new calls
 */
function outcomeOf(
  instance: Instance,
  { id, event, timeoutSeconds }: { id: string; event: unknown; timeoutSeconds: number },
  retire: () => void,
): Promise<Outcome> {
  const timeLimitMs = timeoutSeconds * 1000
  return new Promise<Outcome>((resolve) => {
    const timer = setTimeout(() => {
      // Lambda ends an instance after a time-out. Ours: other calls share this instance, so it is retired first.
      retire()
      instance.retired = true
      settle({ fault: platformFault('Sandbox.Timedout', `timed out after ${timeoutSeconds} seconds`) })
    }, timeLimitMs)
    const settle: Call['settle'] = (settled) => {
      clearTimeout(timer)
      instance.calls.delete(id)
      if (instance.retired && instance.calls.size === 0) void instance.worker.terminate()
      resolve(settled)
    }
    instance.calls.set(id, { settle })
    const message: CallMessage = { id, ...apart(event), deadline: Date.now() + timeLimitMs }
    instance.worker.postMessage(message)
  })
}

/** An event, and the text of its body if it has one. */
function apart(event: unknown): Pick<CallMessage, 'event' | 'body'> {
  if (typeof event !== 'object' || event === null || !('body' in event) || typeof event.body !== 'string')
    return { event: JSON.stringify(event) }
  const { body, ...rest } = event
  return { event: JSON.stringify(rest), body }
}

const platformFault = (errorType: string, text: string): Fault => ({ errorType, errorMessage: text, text })

const withinLimit = (result: string): Outcome =>
  Buffer.byteLength(result) > MAX_ANSWER_BYTES
    ? { fault: platformFault('Function.ResponseSizeTooLarge', 'its answer is above the 6 MB limit') }
    : { result }

const printed = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error))

async function atMost(withinMs: number, work: Promise<unknown>): Promise<void> {
  const timer = new AbortController()
  const patience = delay(withinMs, undefined, { signal: timer.signal, ref: false }).catch(() => undefined)
  await Promise.race([work, patience])
  timer.abort()
}

/** Logs what a worker prints, and how it crashes. */
function logWorker(worker: Worker, source: string, log: Log): void {
  forward(worker.stdout, 'stdout', source, log)
  forward(worker.stderr, 'stderr', source, log)
  worker.on('error', (error) => log.write(source, `crashed: ${printed(error)}`, { warns: true }))
}

function forward(stream: Readable, kind: 'stdout' | 'stderr', source: string, log: Log): void {
  createInterface({ input: stream, crlfDelay: Infinity }).on('line', (line) =>
    log.write(source, line, { warns: warns(line, kind) }),
  )
}

/** Lambda's own variables. The parent's environment is not passed on. */
function lambdaEnvironment(row: FunctionRow, folder: string): Record<string, string> {
  const { region, credentials } = LOCAL_ACCOUNT
  return {
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_LAMBDA_FUNCTION_NAME: row.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(row.memoryMiB),
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${row.name}`,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    // excludes the user's AWS profile: Lambda has none
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    LAMBDA_TASK_ROOT: folder,
    LANG: 'en_US.UTF-8',
    TZ: 'UTC',
    NODE_COMPILE_CACHE: path.join(folder, '..', COMPILED), // Ours: Lambda has none
  }
}
