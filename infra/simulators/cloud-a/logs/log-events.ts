import { entriesOf } from '../../toolkit/json-body.ts'
import { ServiceError } from '../../toolkit/service-error.ts'
import { trailGroupOf } from '../accounts/accounts.ts'
import type { Call, Operations } from '../wire/call.ts'
import { optionalInteger, optionalText, text, type Input } from '../../toolkit/aws/input.ts'
import { invalidMarker, validation } from '../wire/refusals.ts'
import { recordOf } from './trail.ts'

/** Limits of one page. The service scans `looked` entries and returns the matching ones. */
const MOST = { entries: 10_000, bytes: 1_048_576, looked: 10_000 } as const
const NAME = { max: 512 }
const TOKEN_LENGTH = { max: 4096 }
/** Older tokens are unknown. */
const TOKEN_MS = 24 * 3_600_000

type LogRecord = Readonly<Record<string, unknown>>

export const logEventOperations: Operations = {
  FilterLogEvents: (call, input) => {
    const { account, region } = call.caller
    const group = text(input, 'logGroupName', NAME)
    if (!account.logGroups.includes(group))
      throw new ServiceError('ResourceNotFoundException', 'The specified log group does not exist.')
    const search = searchOf(input)
    const list = JSON.stringify([account.id, region, group, search.from, search.to, search.pattern])
    const token = optionalText(input, 'nextToken', TOKEN_LENGTH)
    const now = call.state.now()
    const start = token === undefined ? 0 : positionIn(token, list, now)
    if (call.emptyPage) return { events: [], searchedLogStreams: [], nextToken: tokenOf(list, start, now) }
    // the other groups are empty
    return group === trailGroupOf(account.id) ? pageFrom(call, search, list, start) : { events: [] }
  },
}

interface Search {
  readonly from: number
  readonly to: number
  readonly limit: number
  readonly pattern: string
  readonly fits: (record: LogRecord) => boolean
}

function searchOf(input: Input): Search {
  const time = { min: 0, max: Number.MAX_SAFE_INTEGER }
  const pattern = optionalText(input, 'filterPattern', { min: 0, max: 1024 }) ?? ''
  return {
    from: optionalInteger(input, 'startTime', time) ?? 0,
    to: optionalInteger(input, 'endTime', time) ?? Number.MAX_SAFE_INTEGER,
    limit: optionalInteger(input, 'limit', { min: 1, max: MOST.entries }) ?? MOST.entries,
    pattern,
    fits: testOf(pattern),
  }
}

/** A page from a position of the log. The requested time span includes both ends. */
function pageFrom({ caller: { account, region }, trail, state }: Call, search: Search, list: string, start: number) {
  const { events, next, isEnd } = trail.from(account.id, region, start, MOST.looked)
  const found: object[] = []
  let bytes = 0
  for (const [at, event] of events.entries()) {
    if (event.at < search.from || event.at > search.to) continue
    const record = recordOf(account.id, region, event)
    if (!search.fits(record)) continue
    const message = JSON.stringify(record)
    bytes += message.length
    if (found.length === search.limit || bytes > MOST.bytes)
      return { events: found, searchedLogStreams: [], nextToken: tokenOf(list, next - events.length + at, state.now()) }
    const logStreamName = `${account.id}_CloudTrail_${region}`
    found.push({ logStreamName, timestamp: event.at, message, ingestionTime: event.at, eventId: event.id })
  }
  return { events: found, searchedLogStreams: [], ...(!isEnd && { nextToken: tokenOf(list, next, state.now()) }) }
}

const PATTERN = /^\{\s*(.+?)\s*\}$/
const TERM = /^\(?\s*\$\.([\w.]+)\s*(=|!=)\s*"([^"]*)"\s*\)?$/

/**
 * A subset of the patterns for JSON logs: fields that equal, or do not equal, a text, joined by `&&`.
 * @throws ServiceError InvalidParameterException for any other pattern
 */
function testOf(pattern: string): (record: LogRecord) => boolean {
  if (pattern.trim() === '') return () => true
  const terms = PATTERN.exec(pattern.trim())?.[1]?.split('&&') ?? []
  const tests = terms.map((term) => {
    const [, path = '', sign, value] = TERM.exec(term.trim()) ?? []
    if (sign === undefined) throw validation('Invalid filter pattern')
    return (record: LogRecord) => (valueAt(record, path.split('.')) === value) === (sign === '=')
  })
  if (tests.length === 0) throw validation('Invalid filter pattern')
  return (record) => tests.every((test) => test(record))
}

const valueAt = (record: unknown, [name, ...rest]: readonly string[]): unknown => {
  if (name === undefined) return record
  return typeof record === 'object' && record !== null ? valueAt(Reflect.get(record, name), rest) : undefined
}

const tokenOf = (list: string, position: number, now: number): string =>
  Buffer.from(JSON.stringify([list, position, now])).toString('base64')

function positionIn(token: string, list: string, now: number): number {
  try {
    const read: unknown = JSON.parse(Buffer.from(token, 'base64').toString('utf8'))
    const [of, position, madeAt] = entriesOf(read)
    const isFresh = typeof madeAt === 'number' && now - madeAt < TOKEN_MS
    if (of === list && typeof position === 'number' && isFresh) return position
  } catch {
    // not a token of this simulator
  }
  throw invalidMarker()
}
