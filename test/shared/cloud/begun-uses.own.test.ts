import { describe, expect, test } from 'vitest'
import { uuid } from '../../../shared/base/ids.ts'
import { cloudAKeys } from '../../../shared/clouds/cloud-a/keys/store.ts'
import { customKeyStores } from '../../../shared/clouds/cloud-a/key-stores/store.ts'
import { cloudBKeys } from '../../../shared/clouds/cloud-b/keys/store.ts'
import { cloudCVersions } from '../../../shared/clouds/cloud-c/versions/store.ts'
import { cloudDVersions } from '../../../shared/clouds/cloud-d/versions/store.ts'
import { crmSecrets } from '../../../shared/clouds/crm/keys/store.ts'
import { datacustVersions } from '../../../shared/clouds/datacust/versions/store.ts'
import { Changes, Stale } from '../../../shared/store/changes.ts'
import type { Entity, Stored } from '../../../shared/store/entity.ts'
import { itemKey } from '../../../shared/store/layout.ts'
import { putNew } from '../../../shared/store/table.ts'
import { localKeys, type StoredLocalKey } from '../../../shared/vault/keys/store.ts'
import { LOCAL_KEY } from '../../../shared/vault/keys/used-version.ts'
import { keyLinks } from '../../../shared/vault/links/store.ts'
import { sagas } from '../../../shared/work/sagas/store.ts'
import { useTable } from '../../support/store.ts'
import { NOW } from '../../support/things.ts'

useTable()
const DOMAIN = 'begun uses'

/** The fields of a record that its families and rows read. */
type Fields = Readonly<Record<string, unknown>>

interface Kind {
  readonly entity: Entity<any, any>
  /** a record that uses a version of a local key */
  readonly using: (id: string, localKeyId: string) => Fields
  /** what makes the same record use none, or another one; by default its cloud no longer has it */
  readonly unused?: Fields | ((other: string) => Fields)
  /** the use cannot begin without the key */
  readonly required?: true
}

const GONE = { gone: true }
const PARAMS = { Tags: [], Alias: [], key: {} }

/** Kinds whose records enter a family of the users of a version: each begins a use whenever it enters. */
const BY_FAMILY: Readonly<Record<string, Kind>> = {
  'a cloud-a key': {
    entity: cloudAKeys,
    using: (id, local_key_id) => ({ kms_id: 'k', region: 'r', local_key_id, cloud_a_param: { ...PARAMS, KeyID: id } }),
  },
  'a former generation of material of a cloud-a key': {
    entity: cloudAKeys,
    using: (id, local_key_id) => ({
      ...{ kms_id: 'k', region: 'r', cloud_a_param: { ...PARAMS, KeyID: id } },
      materials: { former: { local_key_id } },
    }),
  },
  'a cloud-a key store that is checked with it': {
    entity: customKeyStores,
    using: (id, health_check_key_id) => ({
      ...{ name: id, kms_id: 'k', region: 'r', credentials: [], cloud_a_param: {} },
      local_hosted_params: { health_check_key_id },
    }),
    unused: { local_hosted_params: undefined },
  },
  'a cloud-b key': {
    entity: cloudBKeys,
    using: (id, local_key_id) => ({
      ...{ key_vault_id: 'v', key_name: id, version: '1', local_key_id, updatedAt: NOW.toISOString() },
      ...{ tags: {}, cloud_b_param: { ...PARAMS, attributes: {}, tags: {} } },
    }),
  },
  'a cloud-c version': {
    entity: cloudCVersions,
    using: (id, local_key_id) => ({ parent_key_id: id, local_key_id, cloud_c_params: { version: '1' } }),
  },
  'a cloud-d version': {
    entity: cloudDVersions,
    using: (id, local_key_id) => ({ parent_key_id: id, local_key_id, param: { version_id: 'theirs' } }),
  },
  'a version of an external cloud-d key': {
    entity: cloudDVersions,
    using: (id, local_key_id) => ({ parent_key_id: id, local_key_id, param: { version_id: id } }),
    unused: { local_key_id: undefined },
  },
  'a crm secret': {
    entity: crmSecrets,
    using: (id, local_key_id) => ({ organization_id: 'o', local_key_id, crm_param: { crm_id: id, type: 'Data' } }),
  },
  'a datacust version': {
    entity: datacustVersions,
    using: (id, local_key_id) => ({ parent_key_id: id, local_key_id, param: { version: 1 } }),
  },
  'an unfinished upload': {
    entity: sagas,
    using: (id, local) => ({
      ...{ kind: 'k', state: 'open', subject: id, fingerprint: id, initiator: { sub: 's' }, dueAt: NOW.toISOString() },
      ...{ input: { source_key_id: local, local_key_id: local, localKeyId: local }, steps: {} },
    }),
    unused: { state: 'finished' },
  },
  'a link to it': {
    entity: keyLinks,
    using: (id, target) => ({ type: 'derivedFrom', source: id, target, createdAt: NOW.toISOString() }),
    unused: (other) => ({ target: other }),
    required: true,
  },
  'a certificate of it': {
    entity: localKeys,
    using: (id, target) => ({
      ...{ name: id, version: 0, latest: false, objectType: 'Certificate', state: 'Active', aliases: [], meta: {} },
      ...{ createdAt: NOW.toISOString(), links: [{ type: 'privateKey', target }], labels: {} },
    }),
    unused: { links: [] },
    required: true,
  },
}

let made = 0
const newId = (): string => uuid(new Date(NOW.getTime() + made++))

/** A version of a local key, as far as its end needs it. @returns its id */
async function localKey(): Promise<string> {
  const id = newId().replaceAll('-', '').repeat(2)
  const { pk, sk } = itemKey(DOMAIN, LOCAL_KEY, id)
  await putNew({ pk: { S: pk }, sk: { S: sk }, rev: { N: '1' }, data: { S: JSON.stringify({ id }) } })
  return id
}

const keyOf = async (id: string): Promise<Stored<StoredLocalKey> | undefined> =>
  (await localKeys.getMany(DOMAIN, [id], 'salvage'))[0]

/** The end of a key, as of now: its commit is conditional on the revision that was read. */
async function endOf(id: string): Promise<() => Promise<void>> {
  const stored = await keyOf(id)
  if (stored === undefined) throw new Error('The key was made')
  const changes = new Changes()
  changes.remove(localKeys, DOMAIN, stored)
  return () => changes.commit(NOW)
}

const written = async (stage: (changes: Changes) => void): Promise<void> => {
  const changes = new Changes()
  stage(changes)
  await changes.commit(NOW)
}

describe.each(Object.entries(BY_FAMILY))('%s', (_, { entity, using, unused = GONE, required }) => {
  const recordOf = async (localKeyId: string) => {
    const id = newId()
    const record = { id, gone: false, ...using(id, localKeyId) }
    return { record, without: { ...record, ...(typeof unused === 'function' ? unused(await localKey()) : unused) } }
  }

  test('that is created while the key ends makes the end fail', async () => {
    const id = await localKey()
    const { record } = await recordOf(id)
    const end = await endOf(id)
    await written((changes) => changes.create(entity, DOMAIN, record))
    await expect(end()).rejects.toBeInstanceOf(Stale)
    expect(await keyOf(id)).toBeDefined()
  })

  test('that returns while the key ends makes the end fail', async () => {
    const id = await localKey()
    const { record, without } = await recordOf(id)
    await written((changes) => changes.create(entity, DOMAIN, without))
    const end = await endOf(id)
    await written((changes) => changes.update(entity, DOMAIN, { item: without, rev: 1 }, record))
    await expect(end()).rejects.toBeInstanceOf(Stale)
    expect(await keyOf(id)).toBeDefined()
  })

  test('that returns after the end has the cloud’s state, or is refused if it needs the key', async () => {
    const id = await localKey()
    const { record, without } = await recordOf(id)
    await written((changes) => changes.create(entity, DOMAIN, without))
    await (
      await endOf(id)
    )()
    const back = written((changes) => changes.update(entity, DOMAIN, { item: without, rev: 1 }, record))
    if (required) await expect(back).rejects.toBeInstanceOf(Stale)
    else await back
    expect(await keyOf(id)).toBeUndefined()
  })

  test('that changes otherwise, or is removed, permits the end of the key', async () => {
    const id = await localKey()
    const { record, without } = await recordOf(id)
    await written((changes) => changes.create(entity, DOMAIN, record))
    const end = await endOf(id)
    await written((changes) => changes.update(entity, DOMAIN, { item: record, rev: 1 }, without))
    await end()
    expect(await keyOf(id)).toBeUndefined()
  })
})
