import { CloudAKey, CloudAKeyVersion } from '../../../../shared/clouds/cloud-a/keys/model.ts'
import type { CloudAKms } from '../../../../shared/clouds/cloud-a/kms/model.ts'
import { listOf } from '../../../../shared/http/common-fields.ts'
import type { LocalKey } from '../../../../shared/vault/keys/model.ts'
import { CLOUD_A, tagOf } from './container-steps.ts'
import { removeUsed } from '../demo.ts'
import { assertTold } from '../failure.ts'
import type { Fields } from '../narrator.ts'
import type { CloudADemo } from './cloud-a-demo.ts'

export const KEYS = `${CLOUD_A}/keys`
export const DAYS = 7

/** Members of a cloud key that the demo shows. */
export const shownKey = ({ id, cloud_a_param: { KeyID, KeyState, Origin, Alias } }: CloudAKey): Fields => ({
  id,
  KeyID,
  KeyState,
  Origin,
  Alias,
})

export const get = (
  { service }: CloudADemo,
  { id }: CloudAKey,
  shows: (key: CloudAKey) => Fields,
): Promise<CloudAKey> => service.call('GET', `${KEYS}/${id}`, { answers: CloudAKey, shows })

export const act = ({ service }: CloudADemo, { id }: CloudAKey, action: string, body?: object): Promise<CloudAKey> =>
  service.call('POST', `${KEYS}/${id}/${action}`, {
    ...(body && { body }),
    answers: CloudAKey,
    shows: ({ deletion_date, local_hosted_params, cloud_a_param: { KeyState } }) => ({
      KeyState,
      deletion_date,
      blocked: local_hosted_params?.blocked,
    }),
  })

/** Uploads the local key's material as a key of the cloud, with an alias and a tag. */
export async function upload(demo: CloudADemo, kms: CloudAKms, local: LocalKey): Promise<CloudAKey> {
  const { narrator, service, name, region } = demo
  narrator.step('Upload it to the cloud, with an alias and a tag')
  const key = await service.call('POST', `${CLOUD_A}/upload-key`, {
    body: {
      kms: kms.name,
      region,
      source_key_identifier: local.name,
      cloud_a_param: { Alias: name, Tags: [tagOf(demo)] },
    },
    answers: CloudAKey,
    shows: shownKey,
  })
  const { KeyState, Origin, Alias } = key.cloud_a_param
  assertTold(KeyState === 'Enabled' && Origin === 'EXTERNAL', 'an uploaded key is Enabled and its Origin EXTERNAL')
  assertTold(Alias.includes(name), 'the uploaded key has its alias')
  assertTold(key.local_key_id === local.id, 'the record says which local key the material is from')
  return key
}

/** Creates two native keys: one to work with, and one that will be lost. */
export async function createNative(demo: CloudADemo, kms: CloudAKms): Promise<[CloudAKey, CloudAKey]> {
  demo.narrator.step('Create two native keys, whose material the cloud makes')
  return [await createOne(demo, kms, 'native'), await createOne(demo, kms, 'lost')]
}

async function createOne(demo: CloudADemo, kms: CloudAKms, suffix: string): Promise<CloudAKey> {
  const { service, name, region } = demo
  const key = await service.call('POST', KEYS, {
    body: { kms: kms.name, region, cloud_a_param: { Alias: `${name}-${suffix}`, Tags: [tagOf(demo)] } },
    answers: CloudAKey,
    shows: shownKey,
  })
  assertTold(key.key_material_origin === 'native', 'its material is native')
  return key
}

const WRITTEN = 'written before the rotation'

/** @returns the ciphertext of `WRITTEN` */
export async function encrypt({ narrator, cloud, name }: CloudADemo, uploaded: CloudAKey): Promise<Uint8Array> {
  narrator.step("Encrypt with the uploaded key, as an application does: with the cloud's own SDK, by the alias")
  const { ciphertext, arn } = await cloud.encrypt(`alias/${name}`, WRITTEN)
  assertTold(arn === uploaded.cloud_a_param.Arn, 'the alias leads to the uploaded key')
  return ciphertext
}

/** An application does not notice a rotation: old ciphertexts can still be decrypted. */
export async function useAfterRotation(
  { narrator, cloud, name }: CloudADemo,
  after: { readonly old: CloudAKey; readonly successor: CloudAKey; readonly encrypted: Uint8Array },
): Promise<void> {
  const { Arn } = after.successor.cloud_a_param
  const { KeyID } = after.old.cloud_a_param
  narrator.step('The alias encrypts with the new key now; the old key only decrypts')
  const { arn } = await cloud.encrypt(`alias/${name}`, 'written after it')
  assertTold(arn === Arn, 'the alias leads to the new key')
  await cloud.encryptIsRefused(KeyID, 'AccessDeniedException')
  assertTold((await cloud.decrypt(KeyID, after.encrypted)) === WRITTEN, 'the old key still decrypts')
}

/** A new key with new material replaces the old one. */
export async function rotate(demo: CloudADemo, old: CloudAKey): Promise<CloudAKey> {
  const { narrator, service, undo } = demo
  narrator.step('Rotate the uploaded key: its alias moves on, and it stops encrypting')
  const body = { retain_alias: true, disable_encrypt: true }
  const key = await service.call('POST', `${KEYS}/${old.id}/rotate`, {
    body,
    answers: CloudAKey,
    shows: (made) => ({ ...shownKey(made), rotated_from: made.rotated_from, rotation_status: made.rotation_status }),
  })
  const { local_key_id } = key
  if (local_key_id !== undefined) undo.push(() => removeUsed(demo, local_key_id))
  assertTold(key.rotated_from === old.id && key.rotation_status === 'ACTIVE', 'the new key succeeds the old one')
  const replaced = await get(demo, old, ({ rotated_to, rotation_status, cloud_a_param: { Alias } }) => ({
    rotated_to,
    rotation_status,
    Alias,
  }))
  assertTold(replaced.rotated_to === key.id, 'the old key names its successor')
  await service.refused('POST', `${KEYS}/${old.id}/rotate`, 409, body)
  await service.call('GET', `${KEYS}/${key.id}/versions`, {
    answers: listOf(CloudAKeyVersion),
    shows: ({ resources }) => ({ versions: resources.map(({ version, state }) => `${version} ${state}`) }),
  })
  return key
}

/** Lists keys filtered by members of the cloud. */
export async function findKeys(
  demo: CloudADemo,
  { name: kms }: CloudAKms,
  { successor, old }: { readonly successor: CloudAKey; readonly old: CloudAKey },
): Promise<void> {
  const { narrator, service, name } = demo
  const tags = encodeURIComponent(`demo=${name}`)
  const list = (query: string) =>
    service.call('GET', `${KEYS}?${query}`, {
      answers: listOf(CloudAKey),
      shows: ({ total, resources }) => ({ total, Alias: resources.flatMap((key) => key.cloud_a_param.Alias) }),
    })
  narrator.step('Find keys by tag, alias, origin and state')
  const tagged = await list(`kms=${kms}&tags=${tags}&gone=false&sort=createdAt`)
  assertTold(
    tagged.resources.some(({ id }) => id === successor.id),
    'the tag went to the new key',
  )
  const byAlias = await list(`kms=${kms}&alias=${name}`)
  assertTold(byAlias.total === 1 && byAlias.resources[0]?.id === successor.id, 'the alias finds the new key alone')
  const external = await list(`kms=${kms}&tags=${tags}&origin=EXTERNAL&key_state=Enabled`)
  assertTold(external.total === 2, 'both keys with material of ours are there')
  const succeeded = await list(`kms=${kms}&rotated_from=${old.id}`)
  assertTold(succeeded.total === 1, 'one key succeeded the old one')
}

export async function disableAndEnable(demo: CloudADemo, key: CloudAKey): Promise<void> {
  demo.narrator.step('Disable the native key, and enable it again')
  assertTold(!(await act(demo, key, 'disable')).cloud_a_param.Enabled, 'the key is disabled')
  assertTold((await act(demo, key, 'enable')).cloud_a_param.Enabled, 'the key is enabled')
}

export async function scheduleAndCancel(demo: CloudADemo, key: CloudAKey): Promise<void> {
  demo.narrator.step('Schedule the deletion of the native key, and cancel it')
  const waiting = await act(demo, key, 'schedule-deletion', { days: DAYS })
  assertTold(waiting.cloud_a_param.KeyState === 'PendingDeletion', 'the key waits for its deletion')
  const kept = await act(demo, key, 'cancel-deletion')
  assertTold(kept.cloud_a_param.KeyState === 'Disabled', 'a key whose deletion was cancelled is Disabled')
}
