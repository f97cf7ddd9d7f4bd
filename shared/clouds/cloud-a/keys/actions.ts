import { assertTagNames } from '../adapter/tags.ts'
import { Refusal, notThere } from '../../../base/errors.ts'
import { KEY_TAG, TAGS_MOST, TEMPLATE_TAG } from './model.ts'
import { cloudAKeys, placeOfKeys, type StoredCloudAKey } from './store.ts'
import type { Context } from '../../../http/context.ts'
import { without } from '../../../base/fields.ts'
import { actionsOn, refreshing, type KeyAction } from '../../../cloud/keys/act-on-key.ts'
import { cloudA } from '../adapter.ts'
import { keyKind, type CloudATypes } from './kind.ts'
import { assertLinked, deletionOf } from './key-rules.ts'
import { noteVerified } from './policy-inputs.ts'

const ref = (key: StoredCloudAKey): string => key.cloud_a_param.KeyID
const isMaterial = ({ cloud_a_param: { Origin } }: StoredCloudAKey, origin: string): boolean => Origin === origin

const conflict = (message: string): Refusal => new Refusal('STATE_CONFLICT', message)

type NoArgs = Readonly<Record<string, never>>

const enable: KeyAction<CloudATypes, NoArgs> = {
  may: 'keyupdate',
  call: (place, key) => cloudA.enable(place, ref(key)),
}
const disable: KeyAction<CloudATypes, NoArgs> = {
  may: 'keyupdate',
  call: (place, key) => cloudA.disable(place, ref(key)),
}

const awaitsDeletion = ({ cloud_a_param: { KeyState } }: StoredCloudAKey): boolean =>
  KeyState === 'PendingDeletion' || KeyState === 'PendingReplicaDeletion'

/** A key that is scheduled for deletion leaves its rotation job. */
const scheduleDeletion: KeyAction<CloudATypes, { days: number }> = {
  may: deletionOf,
  check: (key) => {
    if (awaitsDeletion(key)) throw conflict('The key waits for its deletion already.')
  },
  call: (place, key, { days }) => cloudA.scheduleDeletion(place, ref(key), days),
  then: (key) => without(key, 'labels'),
}
const cancelDeletion: KeyAction<CloudATypes, NoArgs> = {
  may: 'keycanceldelete',
  check: (key) => {
    if (!awaitsDeletion(key)) throw conflict('The key does not wait for its deletion.')
  },
  call: (place, key) => cloudA.cancelDeletion(place, ref(key)),
}

interface TagPair {
  readonly tag_key: string
  readonly tag_value: string
}
const addTags: KeyAction<CloudATypes, { tags: readonly TagPair[] }> = {
  may: 'keyupdate',
  check: ({ cloud_a_param: { Tags } }, { tags }) => {
    assertTagNames(
      tags.map(({ tag_key }) => tag_key),
      (at) => `#/tags/${at}/tag_key`,
    )
    const names = new Set([...Tags.map(({ TagKey }) => TagKey), ...tags.map(({ tag_key }) => tag_key)])
    if (names.size > TAGS_MOST)
      throw new Refusal('RULE_BROKEN', `A key has at most ${TAGS_MOST} tags.`, {
        errors: [{ pointer: '#/tags', detail: `would make ${names.size} tags of at most ${TAGS_MOST}` }],
      })
  },
  call: (place, key, { tags }) =>
    cloudA.addTags(
      place,
      ref(key),
      tags.map(({ tag_key, tag_value }) => ({ name: tag_key, value: tag_value })),
    ),
}
/**
 * Ours: the tag of keymgr's record cannot be removed. The tag of a template can, and must be before the template can be
 * deleted.
 */
const removeTags: KeyAction<CloudATypes, { tags: readonly string[] }> = {
  may: 'keyupdate',
  check: ({ cloud_a_param: { Tags } }, { tags }) => {
    const absent = tags.findIndex((name) => name === KEY_TAG || !Tags.some(({ TagKey }) => TagKey === name))
    if (absent === -1) return
    const detail = tags[absent] === KEY_TAG ? 'belongs to the service' : 'is not a tag of the key'
    throw new Refusal(
      tags[absent] === KEY_TAG ? 'RULE_BROKEN' : 'NOT_FOUND',
      `The tag ${tags[absent] ?? ''} ${detail}.`,
      {
        errors: [{ pointer: `#/tags/${absent}`, detail }],
      },
    )
  },
  call: (place, key, { tags }) => cloudA.removeTags(place, ref(key), tags),
}

const addAlias: KeyAction<CloudATypes, { alias: string }> = {
  may: 'keyupdate',
  call: (place, key, { alias }) => cloudA.addAlias(place, ref(key), alias),
}
const deleteAlias: KeyAction<CloudATypes, { alias: string }> = {
  may: 'keyupdate',
  check: ({ cloud_a_param: { Alias } }, { alias }) => {
    if (Alias.includes(alias)) return
    throw notThere(`The key has no alias ${alias}.`, { pointer: '#/alias', detail: 'is no alias of the key' })
  },
  call: (place, key, { alias }) => cloudA.deleteAlias(place, ref(key), alias),
}
const updateDescription: KeyAction<CloudATypes, { description: string }> = {
  may: 'keyupdate',
  call: (place, key, { description }) => cloudA.setDescription(place, ref(key), description),
}

/** The cloud's own rotation applies only to symmetric keys with material that the cloud generated. */
function assertOwnRotation(key: StoredCloudAKey): void {
  if (key.cloud_a_param.CustomerMasterKeySpec !== 'SYMMETRIC_DEFAULT' || !isMaterial(key, 'CLOUD_A_KMS'))
    throw conflict("The cloud's own rotation is for symmetric keys whose material the cloud made.")
}
const enableAutoRotation: KeyAction<CloudATypes, { rotation_period_in_days: number }> = {
  may: 'keyrotate',
  check: assertOwnRotation,
  call: (place, key, { rotation_period_in_days: days }) => cloudA.setOwnRotation(place, ref(key), days),
}
const disableAutoRotation: KeyAction<CloudATypes, NoArgs> = {
  may: 'keyrotate',
  check: assertOwnRotation,
  call: (place, key) => cloudA.setOwnRotation(place, ref(key), 'off'),
}

interface NewPolicy {
  readonly policy: string
  readonly bypass: boolean
  readonly template?: string
  readonly lists: Partial<StoredCloudAKey>
}
/** The tag belongs to the policy: it names the template that produced it, and is removed with the next policy. */
const setPolicy: KeyAction<CloudATypes, NewPolicy> = {
  may: 'keyupdate',
  call: async (place, key, { policy, bypass, template }) => {
    await cloudA.setPolicy(place, ref(key), policy, bypass)
    if (template !== undefined) await cloudA.addTags(place, ref(key), [{ name: TEMPLATE_TAG, value: template }])
    else if (key.policy_template_id !== undefined) await cloudA.removeTags(place, ref(key), [TEMPLATE_TAG])
  },
  then: (key, { lists }) => ({
    ...without(key, 'external_accounts', 'key_admins', 'key_admins_roles', 'key_users', 'key_users_roles'),
    ...lists,
  }),
  besides: async (context, { template }) => {
    if (template !== undefined) await noteVerified(context, template)
  },
}

const deleteMaterial: KeyAction<CloudATypes, { key_material_id?: string | undefined }> = {
  may: 'keymaterialdelete',
  check: (key) => {
    if (!isMaterial(key, 'EXTERNAL')) throw conflict('Only imported material can be deleted.')
  },
  call: (place, key, { key_material_id }) => cloudA.deleteMaterial(place, ref(key), key_material_id),
}
/** The record of a key's replica in another region of the same entry. */
async function copyIn(
  { caller }: Pick<Context, 'caller'>,
  key: StoredCloudAKey,
  region: string,
): Promise<StoredCloudAKey | undefined> {
  const domain = caller.domain.id
  const id = (await cloudAKeys.membersBy(domain, placeOfKeys(key.kms_id, region), [ref(key)])).get(ref(key))
  return id === undefined ? undefined : (await cloudAKeys.get(domain, id))?.item
}
const updatePrimaryRegion: KeyAction<CloudATypes, { PrimaryRegion: string }> = {
  may: 'keyupdate',
  check: ({ cloud_a_param: { MultiRegionConfiguration } }) => {
    if (MultiRegionConfiguration?.MultiRegionKeyType !== 'PRIMARY')
      throw conflict('Only the primary of a multi-region key can hand over its part.')
  },
  call: (place, key, { PrimaryRegion }) => cloudA.setPrimaryRegion(place, ref(key), PrimaryRegion),
  alsoChanges: (context, key, { PrimaryRegion }) => copyIn(context, key, PrimaryRegion),
}

const ACTIONS = {
  enable,
  disable,
  'schedule-deletion': scheduleDeletion,
  'cancel-deletion': cancelDeletion,
  'add-tags': addTags,
  'remove-tags': removeTags,
  'add-alias': addAlias,
  'delete-alias': deleteAlias,
  'update-description': updateDescription,
  'enable-auto-rotation': enableAutoRotation,
  'disable-auto-rotation': disableAutoRotation,
  policy: setPolicy,
  'delete-material': deleteMaterial,
  'update-primary-region': updatePrimaryRegion,
  refresh: { ...refreshing, check: assertLinked },
} as const

/** Verbs of one key: a few calls that are safe to repeat. */
export const { saga: actingOnKey, act, doing, mayOf } = actionsOn(keyKind, 'act-on-cloud-a-key', ACTIONS)
