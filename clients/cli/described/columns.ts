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
  ...['id', 'user_id', 'version', 'state', 'status', 'overall_status', '[state]'],
  ...['algorithm', 'size', 'objectType', 'kty', 'purpose', 'operation', 'service', 'severity', '[container]', 'region'],
  ...['enabled', 'message', 'success', 'gone'],
]
const LAST = ['createdAt', 'updatedAt']
const NEVER = /^(?:uri|account|application|devAccount|meta|synced_at|etag)$/
const MOST = 8

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

/** The columns of a resource, with dots in the names of nested properties. */
export function columnsOf(schema: Schema, schemas: Schemas): string[] {
  const all = [...propertiesIn(schema, schemas)]
  const first = FIRST.flatMap((name) => all.find(({ path, mark }) => path === name || `[${mark}]` === name)?.path ?? [])
  const rest = all
    .map(({ path }) => path)
    .filter((name) => !name.includes('.') && !first.includes(name) && !LAST.includes(name) && !NEVER.test(name))
  const last = LAST.slice(0, 1).filter((name) => all.some(({ path }) => path === name))
  return [...[...first, ...rest].slice(0, MOST - last.length), ...last]
}
