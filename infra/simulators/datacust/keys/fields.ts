import type { SimulatedGroup } from '../login/directory.ts'
import { KEY_TYPES, OPERATIONS, type KeyType, type Operation } from '../state/held.ts'
import { flagAt, optionalText, textAt, type Body } from '../wire/body.ts'
import { invalid } from '../wire/errors.ts'
import { kindOf, type KindRow } from './kinds.ts'

/** The facts of a new key, apart from its material. */
export interface NewKey {
  readonly name: string
  readonly description: string
  readonly type: KeyType
  readonly operations: readonly Operation[]
  readonly role: string
  readonly enabled: boolean
  readonly exportable: boolean
}

/** @throws ApiError 400 */
export function typeIn(body: Body): KeyType {
  const text = textAt(body, 'type')
  const type = KEY_TYPES.find((each) => each === text)
  if (type === undefined) throw invalid('type must be AES, RSA or EC.')
  return type
}

/** The rules for keys of the type in the group. @throws ApiError 400 */
export function kindIn({ provider }: SimulatedGroup, type: KeyType): KindRow {
  const kind = kindOf(provider, type)
  if (kind === undefined) throw invalid(`Groups of the provider ${provider} have no keys of the type ${type}.`)
  return kind
}

const isOperation = (value: unknown): value is Operation => OPERATIONS.some((each) => each === value)

/** @throws ApiError 400 */
export function operationsIn({ operations: given }: Body, { operations, needsWhole }: KindRow): readonly Operation[] {
  if (!Array.isArray(given) || given.length === 0) throw invalid('operations must be a list with a member.')
  const wanted = given.filter(isOperation)
  if (wanted.length !== given.length || new Set(wanted).size !== wanted.length)
    throw invalid('operations are not valid.')
  const fitting = operations.some(
    (set) => wanted.every((each) => set.includes(each)) && (!needsWhole || wanted.length === set.length),
  )
  if (!fitting) throw invalid('The operations are not possible for this key.')
  return wanted
}

/** The role of a key: `MASTER_KEY` becomes that of the application. @throws ApiError 400 */
function roleIn({ application }: SimulatedGroup, type: KeyType, wanted: string | undefined): string {
  if (wanted === undefined) return 'UNSPECIFIED'
  const role = wanted === 'MASTER_KEY' ? application.masterRoles[type] : wanted
  if (role === undefined || !application.roles.includes(role))
    throw invalid(`The role ${wanted} is not possible in groups of the type ${application.type}.`)
  return role
}

/** @throws ApiError 400 */
export function newKeyIn(body: Body, group: SimulatedGroup): NewKey {
  const type = typeIn(body)
  const kind = kindIn(group, type)
  const exportable = flagAt(body, 'exportable') ?? false
  if (exportable && group.provider === 'AWS') throw invalid('Keys of this provider cannot be exported.')
  return {
    ...{ name: textAt(body, 'name'), description: optionalText(body, 'description') ?? '', type, exportable },
    operations: operationsIn(body, kind),
    role: roleIn(group, type, optionalText(body, 'role')),
    enabled: flagAt(body, 'enabled') ?? true,
  }
}
