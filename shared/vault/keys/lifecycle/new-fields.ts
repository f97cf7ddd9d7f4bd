import { findAlgorithm } from '../../../crypto/algorithms.ts'
import { USAGE } from '../../../crypto/usage.ts'
import { Refusal } from '../../../base/errors.ts'
import { localKeyId } from '../../../base/ids.ts'
import { reached } from '../../../base/time.ts'
import type { Context } from '../../../http/context.ts'
import { assertRules } from '../../../http/request/parse.ts'
import { DATE_RULES, KEY_DATES, type CreateLocalKey } from '../model.ts'
import { isKeyAdmin } from '../policies/access.ts'
import { algorithmOf } from '../record/algorithm-rules.ts'
import { publicName, type VersionFields } from '../record/new-record.ts'
import type { StoredLocalKey } from '../store.ts'
import type { KeyWanted } from './completed.ts'
import { isDestroyed } from './key-state.ts'

const NAME_CHARACTERS = 255

/** The name of a new key, short enough for that of its public half. @throws Refusal RULE_BROKEN */
export function nameFor({ name }: CreateLocalKey, now: Date, isPair: boolean): string {
  const given = name ?? `key-${localKeyId(now).slice(0, 24)}`
  assertNameFits(given, isPair)
  return given
}

/** @throws Refusal RULE_BROKEN if the name is too long for the public half of a pair */
export function assertNameFits(name: string, isPair: boolean, pointer = '#/name'): void {
  if (isPair && publicName(name).length > NAME_CHARACTERS)
    throw new Refusal('RULE_BROKEN', 'name is too long for a key pair: its public half is named after it', {
      errors: [{ pointer, detail: `must leave room for ${publicName('').length} characters more` }],
    })
}

const PLAIN = ['description', 'defaultIV', 'keyId', 'uuid', 'muid', 'rotationFrequencyDays'] as const

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

const present = <K extends keyof CreateLocalKey>(
  body: CreateLocalKey,
  fields: readonly K[],
): Present<Pick<CreateLocalKey, K>> =>
  Object.fromEntries(fields.flatMap((field) => (body[field] === undefined ? [] : [[field, body[field]]]))) as Present<
    Pick<CreateLocalKey, K>
  > // the fields just named

/** The requested `state`; a future activation makes it Pre-Active. */
function stateOf({ state, activationDate }: CreateLocalKey, now: Date): StoredLocalKey['state'] {
  const waits = activationDate !== undefined && !reached(activationDate, now)
  if ((state === undefined || state === 'Active') && waits) return 'Pre-Active'
  return state ?? 'Active'
}

/** Ours: a certificate is only stored and returned; no operation here uses it. */
const defaultUsageOf = (body: CreateLocalKey): number =>
  body.objectType === 'Certificate' ? 0 : (findAlgorithm(algorithmOf(body))?.defaultUsage ?? 0)

/** The fields of a new key that do not depend on its content. */
export function fieldsOf(context: Context, body: KeyWanted): Omit<VersionFields, 'name' | 'version'> {
  const { now } = context
  const state = stateOf(body, now)
  const at = now.toISOString()
  const mask = body.usageMask ?? defaultUsageOf(body) | (body.unexportable ? 0 : USAGE.export)
  const meta = ownedMeta(context, body.meta, body.assignSelfAsOwner === true)
  const dates = {
    ...(state !== 'Pre-Active' && { activationDate: at }),
    ...(state === 'Deactivated' && { deactivationDate: at }),
    ...(state.endsWith('Compromised') && { compromiseDate: at }),
    ...(isDestroyed(state) && { destroyDate: at }),
    ...present(body, KEY_DATES),
  }
  assertRules(DATE_RULES, dates) // again: dates that a body leaves out count as well
  return {
    state,
    usageMask: mask,
    unexportable: body.unexportable,
    undeletable: body.undeletable,
    aliases: (body.aliases ?? []).map(({ alias, type }, index) => ({ alias, type, index })),
    labels: body.labels ?? {},
    ...dates,
    ...present(body, PLAIN),
    ...(meta && { meta }),
  }
}

/**
 * The owner is the caller, if requested or if the caller is not a key administrator.
 * @throws Refusal ACTION_DENIED for another owner, unless the caller is a key administrator
 */
export function ownedMeta(
  { caller }: Pick<Context, 'caller'>,
  meta: CreateLocalKey['meta'],
  assignSelfAsOwner: boolean,
): StoredLocalKey['meta'] | undefined {
  if (!isKeyAdmin(caller)) {
    if (meta?.ownerId !== undefined && meta.ownerId !== caller.sub)
      throw new Refusal('ACTION_DENIED', 'Only a member of Key Admins makes keys for others.', {
        errors: [{ pointer: '#/meta/ownerId', detail: 'must be yourself' }],
      })
    return { ...meta, ownerId: caller.sub }
  }
  return assignSelfAsOwner ? { ...meta, ownerId: caller.sub } : meta
}
