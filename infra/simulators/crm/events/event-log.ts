import { createHash } from 'node:crypto'
import { eraseItem, timeText } from '../query/table.ts'
import { DAY_MS, type HeldEvent } from '../state/held.ts'
import { fullId, idOf, shortId } from '../state/ids.ts'
import type { Call, Route } from '../wire/call.ts'
import type { Reply } from '../wire/reply.ts'
import { notFound } from '../wire/errors.ts'

/** The events of one day. */
interface LogFile {
  readonly id: string
  /** First millisecond of the day. */
  readonly day: number
  readonly events: readonly HeldEvent[]
}

const EVENT_TYPE = 'PlatformEncryption'
/** Files have numbers of their own in ids, far from those of other records. */
const FIRST_FILE = 10_000_000

/** A file for each day that has ended. */
function filesOf({ state, organization }: Call): LogFile[] {
  const days = new Map<number, HeldEvent[]>()
  for (const event of state.events(organization.id)) {
    const day = Math.floor(event.at / DAY_MS)
    if ((day + 1) * DAY_MS > state.now()) continue
    days.set(day, [...(days.get(day) ?? []), event])
  }
  return [...days].map(([day, events]) => ({ id: idOf('EventLogFile', FIRST_FILE + day), day: day * DAY_MS, events }))
}

const addressOf = ({ version }: Call, id: string): string =>
  `/services/data/v${version}.0/sobjects/EventLogFile/${id}/LogFile`

export const eventLogTable = eraseItem<LogFile>({
  name: 'EventLogFile',
  apis: ['data'],
  needs: 'ViewEventLogFiles',
  isOffered: ({ organization }) => organization.settings.hasEventMonitoring,
  items: (call) => filesOf(call),
  fields: {
    Id: ({ id }) => id,
    EventType: () => EVENT_TYPE,
    LogDate: ({ day }) => timeText(day),
    LogFile: ({ id }, call) => addressOf(call, id),
    LogFileLength: (file) => contentOf(file).length,
    Interval: () => 'Daily',
    CreatedDate: ({ day }) => timeText(day + DAY_MS),
  },
})

const derivedId = ({ secretId }: HeldEvent): string => fullId(secretId)

/** Columns of the platform's log, and how they are filled. */
const COLUMNS: Readonly<Record<string, (event: HeldEvent) => string>> = {
  EVENT_TYPE: () => EVENT_TYPE,
  TIMESTAMP: ({ at }) => new Date(at).toISOString().replaceAll(/[-:TZ]/g, ''),
  REQUEST_ID: ({ id }) => `TID:${createHash('sha256').update(id).digest('hex').slice(0, 24)}`,
  ORGANIZATION_ID: ({ organizationId }) => shortId(organizationId),
  USER_ID: ({ userId }) => shortId(userId),
  RUN_TIME: () => '1',
  CPU_TIME: () => '1',
  CLIENT_IP: () => '127.0.0.1',
  ACTION: ({ action }) => action,
  KEY_ID: ({ secretId }) => shortId(secretId),
  KEY_ID_DERIVED: derivedId,
  KEY_TYPE: ({ type }) => type,
  TIMESTAMP_DERIVED: ({ at }) => new Date(at).toISOString(),
  USER_ID_DERIVED: ({ userId }) => fullId(userId),
}

const line = (values: readonly string[]): string => `${values.map((value) => `"${value}"`).join(',')}\n`

const contentOf = ({ events }: LogFile): string =>
  line(Object.keys(COLUMNS)) + events.map((event) => line(Object.values(COLUMNS).map((read) => read(event)))).join('')

function readFile(call: Call): Reply {
  const id = fullId(call.param('id'))
  const { user, organization } = call
  const isOpen = user.permissions.includes('ViewEventLogFiles') && organization.settings.hasEventMonitoring
  const file = filesOf(call).find((each) => each.id === id)
  if (file === undefined || !isOpen) throw notFound()
  return { text: { type: 'text/csv', content: contentOf(file) } }
}

export const eventLogRoutes: readonly Route[] = [
  { operation: 'GetEventLogFile', method: 'GET', path: '/sobjects/EventLogFile/{id}/LogFile', run: readFile },
]
