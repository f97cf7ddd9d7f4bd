import { defined } from '../../../base/fields.ts'
import type { Context } from '../../../http/context.ts'
import { counted } from '../../../base/counted.ts'
import { Refusal, type BrokenField } from '../../../base/errors.ts'
import { assertIfMatch } from '../../../resource/if-match.ts'
import { LABELS_MOST } from '../../../http/common-fields.ts'
import { META_RULE, metaFits, type EndLocalKey, type LocalKey } from '../model.ts'
import type { UpdateLocalKey } from '../bodies.ts'
import type { Stored } from '../../../store/entity.ts'
import { localKeys, type StoredLocalKey } from '../store.ts'
import { reached } from '../../../base/time.ts'
import { assertAllowed } from '../../key-policies/binding.ts'
import { assertMayChange, isKeyAdmin } from '../policies/access.ts'
import { allVersionsOf, findKey } from '../lists/find-key.ts'
import { isDestroyed, keyAsOf } from './key-state.ts'
import { assertUnusedOrForced } from './in-use.ts'
import { auditView } from '../record/new-record.ts'
import { withGroupIds } from '../policies/permission-groups.ts'
import { presentKey, subjectOf } from '../record/present-key.ts'
import { usageFault } from '../record/usage-fits.ts'

const ALIASES_MOST = 20
/** Ours: the versions that one transaction can change. */
export const VERSIONS_AT_ONCE = 20

/**
 * Updates one version, or all with `allVersions`. Only given fields change; `null` removes a value.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT, IN_USE for a new `destroyDate` unless forced, RULE_BROKEN with every broken rule, NAME_TAKEN for an alias
 */
export async function updateKey(
  context: Context,
  reference: string,
  selector: EndLocalKey,
  given: UpdateLocalKey,
): Promise<Stored<LocalKey>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const named = await findKey(context, reference, selector)
  assertMayChange(caller, named.item)
  assertIfMatch(context, named)
  const body = { ...given, meta: await withGroupIds(context, given.meta, named.item.meta) }
  const isNamed = ({ item }: Stored<StoredLocalKey>): boolean => item.id === named.item.id
  // Ours: destroyed versions, which can no longer change, do not prevent a change of the others.
  const targets =
    body.allVersions === true
      ? (await allVersionsOf(domain, named)).filter((one) => isNamed(one) || !isDestroyed(one.item.state))
      : [named]
  if (targets.length > VERSIONS_AT_ONCE)
    throw new Refusal(
      'STATE_CONFLICT',
      `The key has ${counted(targets.length, 'version')}; change them one by one, ${VERSIONS_AT_ONCE} at most go at once.`,
    )
  for (const stored of targets) {
    assertMayChange(caller, stored.item)
    const after = changed(context, stored.item, body)
    if (after.usageMask !== stored.item.usageMask)
      await assertAllowed(context, { ...after, sizeBits: after.size, curve: after.curveid })
    changes.update(localKeys, domain, stored, after, aliasTaken(body))
    if (isNamed(stored))
      context.about({ ...subjectOf(stored.item, now), before: auditView(stored.item), after: auditView(after) })
    else context.uses('UpdateKey', presentKey(stored.item, now))
  }
  // Ours: the uses of a key are checked when its destroy date is set; at that date the material is wiped in any case.
  if (body.destroyDate && body.destroyDate !== named.item.destroyDate)
    await assertUnusedOrForced(context, targets, selector.force)
  return { item: presentKey(changed(context, named.item, body), now), rev: named.rev + 1 }
}

const aliasTaken =
  ({ aliases = [] }: UpdateLocalKey) =>
  (_kind: string, value: string): Refusal => {
    const at = aliases.findLastIndex((change) => 'alias' in change && change.alias === value)
    return new Refusal('NAME_TAKEN', `There is a key with the name or alias "${value}" already.`, {
      errors: [{ pointer: `#/aliases/${at}/alias`, detail: 'is taken' }],
    })
  }

function changed(context: Context, before: StoredLocalKey, body: UpdateLocalKey): StoredLocalKey {
  const key = keyAsOf(before, context.now)
  if (isDestroyed(key.state)) throw new Refusal('STATE_CONFLICT', `A key that is ${key.state} is changed no more.`)
  assertRules(context, key, body)
  const after: StoredLocalKey = {
    ...key,
    labels: mergedLabels(key.labels, body.labels),
    ...(body.meta !== undefined && { meta: mergedMeta(key.meta, body.meta) }),
    ...defined({ usageMask: body.usageMask }),
    unexportable: body.unexportable ?? key.unexportable,
    undeletable: body.undeletable ?? key.undeletable,
    ...defined({ muid: body.muid }),
    ...(key.latest && { aliases: changedAliases(key, body.aliases) }),
    updatedAt: context.now.toISOString(),
  }
  return keyAsOf(withClearable(after, body), context.now)
}

const CLEARABLE = [
  'activationDate',
  'processStartDate',
  'protectStopDate',
  'deactivationDate',
  'destroyDate',
  'rotationFrequencyDays',
  'description',
  'defaultIV',
  'keyId',
] as const

function withClearable(key: StoredLocalKey, body: UpdateLocalKey): StoredLocalKey {
  const after: Record<string, unknown> = { ...key }
  for (const field of CLEARABLE) {
    const value = body[field]
    if (value === null) Reflect.deleteProperty(after, field)
    else if (value !== undefined) after[field] = value
  }
  return after as StoredLocalKey // the body's fields have the record's types
}

const FUTURE = ['processStartDate', 'protectStopDate', 'deactivationDate', 'destroyDate'] as const
const ORDERED = [
  ['activationDate', 'processStartDate'],
  ['activationDate', 'protectStopDate'],
  ['activationDate', 'deactivationDate'],
  ['protectStopDate', 'deactivationDate'],
] as const

/** Checks every rule between body and key, and reports all faults at once. */
function assertRules({ now, caller }: Context, key: StoredLocalKey, body: UpdateLocalKey): void {
  const isNew = (field: 'activationDate' | 'usageMask' | (typeof FUTURE)[number]): boolean =>
    body[field] !== undefined && body[field] !== (key[field] ?? null) // an unchanged value breaks no rule
  if (body.undeletable === false && key.undeletable && !isKeyAdmin(caller))
    throw new Refusal('ACTION_DENIED', 'Only a member of Key Admins turns undeletable off.')
  const owner = body.meta?.ownerId
  if (owner !== undefined && owner !== key.meta?.ownerId && !isKeyAdmin(caller))
    throw new Refusal('ACTION_DENIED', 'Only a member of Key Admins gives a key to another owner.', {
      errors: [{ pointer: '#/meta/ownerId', detail: 'must be yourself' }],
    })
  const errors: BrokenField[] = []
  const broken = (field: string, detail: string): unknown => errors.push({ pointer: `#/${field}`, detail })
  if (body.unexportable === false && key.unexportable) broken('unexportable', 'cannot be turned back to false')
  if (isNew('activationDate') && key.state !== 'Pre-Active')
    broken('activationDate', 'can change only while Pre-Active')
  if (isNew('usageMask') && key.state !== 'Active' && key.state !== 'Pre-Active')
    broken('usageMask', 'can change only while Active or Pre-Active')
  const usage = usageFault(key.objectType, body.usageMask)
  if (usage !== undefined) broken('usageMask', usage)
  for (const date of FUTURE)
    if (isNew(date) && reached(body[date] ?? undefined, now)) broken(date, 'must be in the future')
  const merged = withClearable(key, body)
  for (const [earlier, latter] of ORDERED) {
    const [first, second] = [merged[earlier], merged[latter]]
    const touched = body[earlier] !== undefined || body[latter] !== undefined
    if (touched && first !== undefined && second !== undefined && Date.parse(first) > Date.parse(second))
      broken(latter, `must not be earlier than ${earlier}`)
  }
  if (Object.keys(mergedLabels(key.labels, body.labels)).length > LABELS_MOST)
    broken('labels', `must leave ${LABELS_MOST} labels at most`)
  if (body.meta !== undefined && !metaFits(mergedMeta(key.meta, body.meta) ?? {})) broken('meta', META_RULE)
  if (body.aliases !== undefined && !key.latest && body.allVersions !== true)
    broken('aliases', 'belong to the latest version')
  if (errors.length > 0)
    throw new Refusal(
      'RULE_BROKEN',
      `${errors.map((error) => `${'pointer' in error ? error.pointer : ''} ${error.detail}`).join('; ')}.`,
      { errors },
    )
}

const mergedLabels = (
  labels: StoredLocalKey['labels'],
  changes: UpdateLocalKey['labels'] = {},
): StoredLocalKey['labels'] =>
  Object.fromEntries(
    Object.entries({ ...labels, ...changes }).filter((entry): entry is [string, string] => entry[1] !== null),
  )

/** Merged by top-level key; `permissions` is replaced as a whole, `null` removes a key. */
function mergedMeta(
  meta: StoredLocalKey['meta'],
  changes: NonNullable<UpdateLocalKey['meta']> | null,
): StoredLocalKey['meta'] {
  if (changes === null) return meta?.ownerId === undefined ? {} : { ownerId: meta.ownerId }
  return Object.fromEntries(Object.entries({ ...meta, ...changes }).filter(([, value]) => value !== null))
}

/** `{alias}` adds, `{index}` removes, `{alias, index}` changes. @throws Refusal RULE_BROKEN, NAME_TAKEN */
function changedAliases(key: StoredLocalKey, changes: UpdateLocalKey['aliases'] = []): StoredLocalKey['aliases'] {
  let aliases = key.aliases
  for (const [at, change] of changes.entries()) {
    const known = change.index === undefined ? undefined : aliases.find(({ index }) => index === change.index)
    if (change.index !== undefined && known === undefined)
      throw new Refusal('RULE_BROKEN', 'There is no alias with this index.', {
        errors: [{ pointer: `#/aliases/${at}/index`, detail: 'there is no such alias' }],
      })
    if (
      'alias' in change &&
      (key.name === change.alias ||
        aliases.some(({ alias, index }) => alias === change.alias && index !== change.index))
    )
      throw aliasTaken({ aliases: changes })('name', change.alias)
    aliases = known
      ? aliases.flatMap((alias) =>
          alias !== known
            ? [alias]
            : 'alias' in change
              ? [{ ...alias, alias: change.alias, type: change.type ?? alias.type }]
              : [],
        )
      : 'alias' in change
        ? [
            ...aliases,
            {
              alias: change.alias,
              type: change.type ?? 'string',
              index: Math.max(-1, ...aliases.map(({ index }) => index)) + 1,
            },
          ]
        : aliases
  }
  if (aliases.length > ALIASES_MOST)
    throw new Refusal('RULE_BROKEN', `A key has ${ALIASES_MOST} aliases at most.`, {
      errors: [{ pointer: '#/aliases', detail: `must leave ${ALIASES_MOST} aliases at most` }],
    })
  return aliases
}
