import { defined } from '../../../base/fields.ts'
import { ask } from './client.ts'
import { Refusal } from '../../../base/errors.ts'
import { lastPart, ringParts } from './names.ts'
import { nextOf } from './reading.ts'
import type { CloudC, CloudCAuditEntry, CloudCAuditQuery } from './types.ts'
import { LogEntry, LogPage } from './wire.ts'

/** Largest page of the cloud; its log may be read about once a second. */
const A_PAGE = 1_000

const LOGS: Readonly<Record<string, CloudCAuditEntry['log']>> = {
  'cloudaudit.googleapis.com%2Factivity': 'activity',
  'cloudaudit.googleapis.com%2Fdata_access': 'data_access',
}

/** The names were checked: they contain no character that would end a quoted text. */
function filterOf({ rings, from, to }: CloudCAuditQuery): string {
  const ofRings = rings.map((name) => {
    const { location, ring } = ringParts(name)
    return `(resource.labels.location="${location}" AND resource.labels.key_ring_id="${ring}")`
  })
  return [
    'protoPayload.serviceName="cloudkms.googleapis.com"',
    `timestamp>="${from.toISOString()}"`,
    `timestamp<"${to.toISOString()}"`,
    `(${ofRings.join(' OR ')})`,
  ].join(' AND ')
}

/** The project of the log. @throws Refusal RULE_BROKEN for rings of several projects */
function projectOf(rings: CloudCAuditQuery['rings']): string {
  const [project, ...others] = new Set(rings.map((name) => ringParts(name).project))
  if (project !== undefined && others.length === 0) return project
  throw new Refusal('RULE_BROKEN', 'An audit log is read for the key rings of one project at a time.')
}

const PART =
  /^(projects\/[^/]+\/locations\/[^/]+\/keyRings\/[^/]+)(?:\/cryptoKeys\/([^/]+)(?:\/cryptoKeyVersions\/([^/]+))?)?/

function entryRead({ insertId, timestamp, logName, protoPayload, resource }: LogEntry): CloudCAuditEntry {
  const { methodName, resourceName, authenticationInfo, status } = protoPayload
  const { project_id: project, location, key_ring_id: ringId } = resource.labels
  const [, named, key, version] = PART.exec(resourceName) ?? []
  const user = authenticationInfo?.principalEmail
  const code = status?.code ?? 0
  return {
    insert_id: insertId,
    log: LOGS[lastPart(logName)] ?? 'other',
    time: timestamp,
    activity: methodName.slice(methodName.lastIndexOf('.') + 1),
    resource: resourceName,
    ring: named ?? `projects/${project}/locations/${location}/keyRings/${ringId}`,
    ...defined({ key_name: key, version }),
    ...(user !== undefined && user !== '' && { user_name: user }),
    ...(code !== 0 && { failed_code: code }),
  }
}

export const auditEntries: CloudC['auditEntries'] = async (entry, query) => {
  const reply = await ask(entry, {
    service: 'logging',
    method: 'POST',
    path: '/v2/entries:list',
    body: {
      resourceNames: [`projects/${projectOf(query.rings)}`],
      filter: filterOf(query),
      orderBy: 'timestamp asc',
      pageSize: query.page_size ?? A_PAGE,
      ...defined({ pageToken: query.page_token }),
    },
    reply: LogPage,
  })
  const next = nextOf(reply)
  const items = reply.entries.flatMap((each) => {
    const parsed = LogEntry.safeParse(each)
    return parsed.success ? [entryRead(parsed.data)] : []
  })
  return { items, ...defined({ next_page_token: next }) }
}
