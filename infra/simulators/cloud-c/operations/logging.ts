import { listAt, onlyKnown, textAt } from '../body.ts'
import type { Call, Route } from '../call.ts'
import { invalid } from '../errors.ts'
import { parseFilter } from '../filter.ts'
import type { HeldEntry } from '../held.ts'
import { pageOf, pageSize } from '../pages.ts'

const PAGES = { standard: 50, most: 1_000 }
const ORDERS: Readonly<Record<string, 1 | -1>> = { '': 1, 'timestamp asc': 1, timestamp: 1, 'timestamp desc': -1 }

/** A unique sort key in the order of time. */
const placeOf = ({ timestamp, insertId }: HeldEntry): string => `${timestamp} ${insertId}`

/** The projects of the request. @throws ApiError INVALID_ARGUMENT, PERMISSION_DENIED */
function projectsIn(call: Call, names: readonly unknown[]): string[] {
  if (names.length === 0) throw invalid('resource_names must name at least one resource.')
  return names.map((name) => {
    const [, project] = typeof name === 'string' ? (/^projects\/([^/]+)$/.exec(name) ?? []) : []
    if (project === undefined) throw invalid(`The resource name ${JSON.stringify(name)} is not valid.`)
    call.require('logging.logEntries.list', `projects/${project}`)
    return project
  })
}

function listEntries(call: Call): object {
  const body = onlyKnown(call.body, ['resourceNames', 'filter', 'orderBy', 'pageSize', 'pageToken'])
  const projects = projectsIn(call, listAt(body, 'resourceNames'))
  const filter = textAt(body, 'filter') ?? ''
  const orderBy = textAt(body, 'orderBy') ?? ''
  const direction = ORDERS[orderBy]
  if (direction === undefined) throw invalid(`order_by must be "timestamp asc" or "timestamp desc".`)
  const accepts = parseFilter(filter)
  const maySee = (project: string) => (entry: HeldEntry) =>
    !entry.logName.endsWith('data_access') || call.may('logging.privateLogEntries.list', `projects/${project}`)
  const entries = projects
    .flatMap((project) => call.state.entries(project).filter(maySee(project)))
    .filter(accepts)
    .sort((a, b) => (placeOf(a) < placeOf(b) ? -direction : direction))
  const places = entries.map(placeOf)
  const { names, next } = pageOf(
    call,
    {
      size: pageSize(body.pageSize, PAGES),
      token: textAt(body, 'pageToken'),
      list: [projects.join(' '), filter, orderBy].join('\n'),
    },
    (last, count) => {
      const start = last === undefined ? 0 : places.indexOf(last) + 1
      return places.slice(start, start + count)
    },
  )
  const byPlace = new Map(entries.map((entry) => [placeOf(entry), entry]))
  const shown = names.flatMap((name) => byPlace.get(name) ?? [])
  return { ...(shown.length > 0 && { entries: shown }), ...(next !== undefined && { nextPageToken: next }) }
}

export const loggingRoutes: readonly Route[] = [
  {
    operation: 'ListLogEntries',
    service: 'logging',
    methods: ['POST'],
    path: '/v2/entries:list',
    quota: 'log',
    run: listEntries,
  },
]
