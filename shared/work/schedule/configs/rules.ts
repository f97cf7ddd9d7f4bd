import { fieldsOf, isGiven, isObject, type Fields } from '../../../base/json.ts'
import type { Rule } from '../../../http/rules.ts'
import { workFacts } from '../../work-facts.ts'
import { containerLists, OWN_PARAMS, paramsFields, rotationParams, rotationRows } from './params.ts'

const within = (body: Fields, name: string): Fields => fieldsOf(body[name])

/** Every operation requires its own parameters and rejects others. */
export const paramsRules = () =>
  Object.entries(paramsFields()).map(([operation, field]): Rule => {
    const mayBeAbsent = operation === 'keymgr_key_rotation'
    return {
      message: mayBeAbsent
        ? `${field} is only for ${operation}`
        : `${field} must be given for ${operation}, and for no other`,
      field,
      broken: (body) =>
        body.operation === operation
          ? !mayBeAbsent && !isGiven(body[field])
          : typeof body.operation === 'string' && isGiven(body[field]),
    }
  })

const SYNC = OWN_PARAMS.keymgr_synchronization

const oneList: Rule = {
  message: 'exactly one container list must be given, the one that belongs to the cloud; none with synchronize_all',
  field: `${SYNC}/synchronize_all`,
  broken: (body) => {
    if (!isObject(body[SYNC])) return false
    const params = within(body, SYNC)
    const lists = Object.values(containerLists()).filter((list) => isGiven(params[list]))
    if (params.synchronize_all === true)
      return lists.length > 0 ? `synchronize_all goes without ${lists.join(' and ')}` : false
    const own = containerLists()[String(params.cloud_name)]
    if (own === undefined) return false // the field itself is refused already
    if (lists.length === 1 && lists[0] === own) return false
    return `${own} must be given for ${String(params.cloud_name)} and no other list, or synchronize_all`
  },
}

export function synchronizationRules(): Rule[] {
  const withItems = workFacts().flatMap(({ name, syncItems }) => (syncItems === undefined ? [] : [name]))
  const items: Rule = {
    message: `sync_item must be given for ${withItems.join(' and ')}, and for no other cloud`,
    field: `${SYNC}/sync_item`,
    broken: (body) => {
      const { cloud_name, sync_item } = within(body, SYNC)
      return typeof cloud_name === 'string' && isGiven(sync_item) !== withItems.includes(cloud_name)
    },
  }
  return withItems.length === 0 ? [oneList] : [oneList, items]
}

const FOUND = OWN_PARAMS['add-containers']

/** A search needs a connection, or a cloud whose connections it uses. */
export const discoveryRule: Rule = {
  message: 'connection_id or cloud_name must be given',
  field: `${FOUND}/connection_id`,
  broken: (body) => {
    if (!isObject(body[FOUND])) return false
    const { cloud_name, connection_id } = within(body, FOUND)
    return !isGiven(cloud_name) && !isGiven(connection_id)
  },
}

const ROTATION = OWN_PARAMS.keymgr_key_rotation

/** A parameter that only some clouds have. */
const onlyFor = (field: string, clouds: readonly string[], message: string): Rule => ({
  message,
  field: `${ROTATION}/${field}`,
  broken: (body) => {
    const { cloud_name, [field]: value } = within(body, ROTATION)
    return typeof cloud_name === 'string' && isGiven(value) && !clouds.includes(cloud_name)
  },
})

export function rotationRules(): Rule[] {
  const names = (fits: (row: { byAge: boolean; byExpiry: boolean }) => boolean): string[] =>
    rotationRows().flatMap((row) => (fits(row) ? [row.name] : []))
  const byAge = names((row) => row.byAge)
  const notByExpiry = names((row) => !row.byExpiry)
  return [
    onlyFor(
      'expire_in',
      names((row) => row.byExpiry),
      `expire_in is not for ${notByExpiry.join(' and ')}`,
    ),
    onlyFor('rotation_after', byAge, `rotation_after is for ${byAge.join(' and ')} only`),
    ...rotationParams().map(({ name, field }) => onlyFor(field, [name], `${field} is for ${name} only`)),
  ]
}
