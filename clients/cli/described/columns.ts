import { flat, type Schema, type Schemas } from './schema.ts'

/** Columns of tables, the most telling ones first: a table has those that its resource has. */
const FIRST = [
  'name',
  'username',
  'key_name',
  'secret_name',
  'cert_name',
  'client_name',
  'policy_name',
  'display_name',
  'cloud_a_param.Alias',
  'id',
  'user_id',
  'version',
  'state',
  'status',
  'overall_status',
  'cloud_a_param.KeyState',
  'algorithm',
  'size',
  'objectType',
  'kty',
  'purpose',
  'operation',
  'service',
  'severity',
  'kms',
  'key_vault',
  'key_ring',
  'region',
  'enabled',
  'message',
  'success',
  'gone',
]
const LAST = ['createdAt', 'updatedAt']
const NEVER = /^(?:uri|account|application|devAccount|meta|synced_at|etag)$/
const MOST = 8

function* pathsIn(schema: Schema, schemas: Schemas, path: readonly string[] = []): Generator<string> {
  const whole = flat(schema, schemas)
  if (whole.properties === undefined) {
    const isShort = whole.types.every((type) => type !== 'object') && whole.types.length > 0
    if (path.length > 0 && isShort) yield path.join('.')
    return
  }
  if (path.length > 1) return
  for (const [name, field] of Object.entries(whole.properties)) yield* pathsIn(field, schemas, [...path, name])
}

/** The columns of a resource, by dots where they are in objects. */
export function columnsOf(schema: Schema, schemas: Schemas): string[] {
  const all = [...pathsIn(schema, schemas)]
  const first = FIRST.filter((name) => all.includes(name))
  const rest = all.filter(
    (name) => !name.includes('.') && !first.includes(name) && !LAST.includes(name) && !NEVER.test(name),
  )
  const last = LAST.slice(0, 1).filter((name) => all.includes(name))
  return [...[...first, ...rest].slice(0, MOST - last.length), ...last]
}
