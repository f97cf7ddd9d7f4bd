import { flat, type Schema, type Schemas } from './schema.ts'

/**
 * Columns of tables, the most informative first; a table has those that its resource has. A name in brackets selects
 * the property that the description marks, whatever its name is.
 */
const FIRST = [
  ...[
    'name',
    'username',
    'key_name',
    'secret_name',
    'cert_name',
    'client_name',
    'policy_name',
    'display_name',
    '[name]',
  ],
  ...['version', 'state', 'status', 'overall_status', '[state]'],
  ...['algorithm', 'size', 'objectType', 'kty', 'purpose', 'operation', 'service', 'severity', '[container]', 'region'],
  ...['enabled', 'message', 'success', 'gone'],
]
const LAST = ['createdAt', 'id', 'user_id']
const NEVER = /^(?:uri|account|application|devAccount|meta|synced_at|etag|updatedAt|acls)$/
const MOST = 8

/** Tables of resources that people watch, recognized by the properties in `of`: the columns in the order of reading. */
const BY_HAND: readonly { readonly of: readonly string[]; readonly columns: readonly string[] }[] = [
  {
    of: ['message', 'success', 'recordedAt'], // audit records: when, who, what, to which, how it ended
    columns: [
      ...['createdAt', 'username', 'message', 'details.resource_name', 'success', 'errorMessage'],
      ...['severity', 'details.resource_uri', 'id'],
    ],
  },
  {
    of: ['budget_left', 'protocol'], // service levels of endpoints
    columns: ['name', 'protocol', 'calls', 'p50_ms', 'p99_ms', 'refused', 'errors', 'late', 'budget_left', 'id'],
  },
  {
    of: ['budget_left', 'caller'], // their parts
    columns: ['from', 'caller', 'calls', 'p50_ms', 'p99_ms', 'refused', 'errors', 'late', 'budget_left'],
  },
  {
    of: ['key_activity', 'modified_time'], // lines of a report
    columns: [
      ...['modified_time', 'user_name', 'key_activity', 'key_name', '[container]', 'region', 'origin', 'error_code'],
      'id',
    ],
  },
  {
    of: ['report_type', 'overall_status'],
    columns: [
      ...['name', 'report_type', 'overall_status', '[container]', 'start_time', 'end_time', 'completed_at'],
      'id',
    ],
  },
  {
    of: ['synchronize_all', 'overall_status'],
    columns: [
      ...['createdAt', 'overall_status', '[container]', 'regions', 'added', 'updated', 'gone', 'unread'],
      ...['completed_at', 'id'],
    ],
  },
  {
    of: ['overall_status', 'operation'],
    columns: ['createdAt', 'operation', 'overall_status', 'completed_at', 'id'],
  },
  {
    of: ['left_count', 'success_count'], // jobs of the scheduler
    columns: [
      ...['name', 'operation', 'status', 'started_at', 'completed_at', 'total_count', 'success_count', 'error_count'],
      ...['left_count', 'id'],
    ],
  },
  {
    of: ['job_id', 'resource_type'],
    columns: ['resource_name', 'resource_type', 'container', 'sync_item', 'status', 'error', 'completed_at', 'id'],
  },
  {
    of: ['run_at', 'next_run_at'],
    columns: ['name', 'operation', 'run_at', 'next_run_at', 'last_run_at', 'last_status', 'disabled', 'id'],
  },
  { of: ['run_at', 'lasts_seconds'], columns: ['run_at', 'total_count', 'lasts_seconds'] },
  {
    of: ['triggeredAt', 'rule_id'],
    columns: ['name', 'severity', 'state', 'triggeredAt', 'count', 'acknowledgedBy', 'clearedAt', 'id'],
  },
  {
    of: ['waits_for', 'subject_id'],
    columns: ['createdAt', 'username', 'operation', 'state', 'waits_for', 'container_id', 'subject_id', 'id'],
  },
  {
    of: ['acls', 'connection'], // containers of every cloud
    columns: [
      ...['name', 'status', 'lifecycle_state', 'connection', 'account_id', 'subscription_name', 'project_id'],
      ...['compartment_name', 'region', 'regions', 'location', 'sku', 'last_synchronized_at', 'refreshed_at', 'gone'],
      'id',
    ],
  },
]

/** A property with a single value, and its mark in the description. */
interface Property {
  readonly path: string
  readonly mark: string | undefined
}

function* propertiesIn(schema: Schema, schemas: Schemas, path: readonly string[] = []): Generator<Property> {
  const whole = flat(schema, schemas)
  if (whole.properties === undefined) {
    const isShort = whole.types.every((type) => type !== 'object') && whole.types.length > 0
    if (path.length > 0 && isShort) yield { path: path.join('.'), mark: whole['x-keymgr-column'] }
    return
  }
  if (path.length > 1) return
  for (const [name, field] of Object.entries(whole.properties)) yield* propertiesIn(field, schemas, [...path, name])
}

/** The property that the description of a resource marks as its container, state or name. */
export const markedIn = (schema: Schema, schemas: Schemas, mark: string): string | undefined =>
  [...propertiesIn(schema, schemas)].find((each) => each.mark === mark)?.path

const present = (all: readonly Property[], names: readonly string[]): string[] =>
  names.flatMap((name) => all.find(({ path, mark }) => path === name || `[${mark}]` === name)?.path ?? [])

/** The columns of a resource, with dots in the names of nested properties. */
export function columnsOf(schema: Schema, schemas: Schemas): string[] {
  const all = [...propertiesIn(schema, schemas)]
  const has = (name: string): boolean => all.some(({ path }) => path === name)
  const own = BY_HAND.find(({ of }) => of.every(has))
  if (own !== undefined) return present(all, own.columns)
  const first = present(all, FIRST)
  const rest = all
    .map(({ path }) => path)
    .filter((name) => !name.includes('.') && !first.includes(name) && !LAST.includes(name) && !NEVER.test(name))
  const last = present(all, LAST)
  return [...[...first, ...rest].slice(0, MOST - last.length), ...last]
}
