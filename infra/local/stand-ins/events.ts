import { appendFile } from 'node:fs/promises'
import { defined } from '../../../shared/base/fields.ts'
import { entriesOf, fieldsOf, isObject } from '../../simulators/toolkit/json-body.ts'
import { LOCAL_ACCOUNT } from './account.ts'
import { authorize } from './authorize.ts'
import { serveJson } from '../../simulators/toolkit/aws/json-service.ts'
import { ServiceError } from '../../simulators/toolkit/service-error.ts'

/** An accepted event, in the form that rules and targets receive. */
export interface BusEvent {
  readonly version: '0'
  readonly id: string
  readonly 'detail-type': string
  readonly source: string
  readonly account: string
  readonly time: string
  readonly region: string
  readonly resources: readonly string[]
  readonly detail: Readonly<Record<string, unknown>>
  readonly bus: string
}

export interface Events {
  readonly endpoint: string
  /** The last `KEPT_EVENTS`, oldest first. */
  readonly all: () => readonly BusEvent[]
  readonly stop: () => Promise<void>
}

/** PutEvents limits of the platform. */
const MAX_ENTRIES = 10
const MAX_REQUEST_BYTES = 256 * 1024
const TIME_BYTES = 14
const KEPT_EVENTS = 10_000

type Entry = Record<string, unknown>
type Result = { EventId: string } | { ErrorCode: string; ErrorMessage: string }

/**
 * A stand-in for the event bus: PutEvents over its wire protocol, with its rules.
 * @param options.buses names that exist besides `default`
 * @param options.file receives every event as one line
 * @param options.now the deployment's clock, for entries without a time
 */
export async function startEvents(options: {
  buses: readonly string[]
  file?: string
  now: () => Date
  /** default: any free one */
  port?: number
}): Promise<Events> {
  const kept: BusEvent[] = []
  const buses = new Set(['default', ...options.buses])
  let written = Promise.resolve()

  const accept = async (events: BusEvent[]) => {
    kept.push(...events)
    if (kept.length > KEPT_EVENTS) kept.splice(0, kept.length - KEPT_EVENTS)
    const { file } = options
    if (file === undefined || events.length === 0) return
    const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('')
    written = written.catch(() => undefined).then(() => appendFile(file, lines, { mode: 0o600 }))
    await written // the event is in the file before the answer is sent
  }

  const service = await serveJson(
    'AWSEvents',
    {
      PutEvents: async (input) => {
        const entries = entriesIn(input)
        const accepted: BusEvent[] = []
        const results = entries.map((entry): Result => {
          const event = toEvent(entry, buses, options.now)
          if ('ErrorCode' in event) return event
          accepted.push(event)
          return { EventId: event.id }
        })
        await accept(accepted)
        return { FailedEntryCount: results.filter((result) => 'ErrorCode' in result).length, Entries: results }
      },
    },
    { authorize, ...defined({ port: options.port }) },
  )
  return {
    endpoint: service.endpoint,
    all: () => kept,
    stop: async () => {
      await service.stop()
      await written.catch(() => undefined)
    },
  }
}

function entriesIn({ Entries }: Record<string, unknown>): readonly Entry[] {
  if (!Array.isArray(Entries) || Entries.length < 1 || Entries.length > MAX_ENTRIES) {
    throw new ServiceError(
      'ValidationException',
      `1 validation error detected: Value at 'entries' must have length between 1 and ${MAX_ENTRIES}`,
    )
  }
  const entries: readonly Entry[] = Entries.map(fieldsOf)
  const bytes = entries.reduce((sum, entry) => sum + bytesOf(entry), 0)
  if (bytes > MAX_REQUEST_BYTES) {
    throw new ServiceError('ValidationException', 'Total size of the entries in the request is over the limit.')
  }
  return entries
}

/** Size of an entry by the platform's rule: 14 bytes for a time, plus the bytes of its texts. */
function bytesOf({ Time, Source, DetailType, Detail, Resources }: Entry): number {
  const texts = [Source, DetailType, Detail, ...entriesOf(Resources)]
  const counted = texts.reduce<number>((sum, text) => sum + (typeof text === 'string' ? Buffer.byteLength(text) : 0), 0)
  return counted + (Time === undefined ? 0 : TIME_BYTES)
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const refused = (ErrorCode: string, ErrorMessage: string) => ({ ErrorCode, ErrorMessage })

function toEvent(entry: Entry, buses: ReadonlySet<string>, now: () => Date) {
  const { Time, Source, DetailType, Detail, Resources, EventBusName } = entry
  const absent = ['Source', 'DetailType', 'Detail'].find((name) => !isText(entry[name]))
  if (!isText(Source) || !isText(DetailType) || !isText(Detail))
    return refused('InvalidArgument', `Parameter ${absent} is not valid. Reason: ${absent} is a required argument.`)
  if (Source.startsWith('aws.')) return refused('NotAuthorizedForSourceException', 'Not authorized for the source.')
  const bus = busOf(EventBusName)
  // Ours: the platform's code for a missing bus is not documented; InvalidArgument is its code for a wrong argument.
  if (!buses.has(bus)) return refused('InvalidArgument', `Event bus ${bus} does not exist.`)
  const detail = objectOf(Detail)
  if (detail === undefined) return refused('MalformedDetail', 'Detail is malformed.')
  return {
    version: '0',
    id: crypto.randomUUID(),
    'detail-type': DetailType,
    source: Source,
    account: LOCAL_ACCOUNT.id,
    time: (typeof Time === 'number' ? new Date(Time * 1000) : now()).toISOString(),
    region: LOCAL_ACCOUNT.region,
    resources: entriesOf(Resources).filter((one) => typeof one === 'string'),
    detail,
    bus,
  } satisfies BusEvent
}

/** The bus in `name`: a name, or an ARN that ends in it. */
function busOf(name: unknown): string {
  if (typeof name !== 'string' || name === '') return 'default'
  return name.startsWith('arn:') ? name.slice(name.lastIndexOf('/') + 1) : name
}

function objectOf(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
