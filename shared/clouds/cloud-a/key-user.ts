import { customKeyStores, storesCheckedWith } from './key-stores/store.ts'
import { viewOfKey } from './keys/key-rules.ts'
import { keyName } from './keys/records.ts'
import { cloudAKeys, hostedKeysFrom, type StoredCloudAKey } from './keys/store.ts'
import { cloudAKms } from './kms/store.ts'
import { may } from '../../cloud/containers/acl.ts'
import type { Acl } from '../../cloud/containers/acl-model.ts'
import { usesBy, usesOfMaterial, type UsingRecords } from '../../cloud/keys/key-users.ts'
import type { Caller } from '../../http/context.ts'
import { walk } from '../../store/list.ts'
import type { KeyUser } from '../../vault/keys/lifecycle/key-users.ts'

const hostedFrom = (domain: string, name: string): Promise<string[]> => cloudAKeys.members(domain, hostedKeysFrom(name))

/** Whether any entry permits the caller to see its hosted keys. */
async function maySeeHosted(caller: Caller): Promise<boolean> {
  const { total } = await walk(cloudAKms, caller.domain.id, {
    ...{ sets: ['all'], skip: 0, limit: 0, narrowBy: 'removing KMS entries' },
    matches: (row) => may(caller, row, 'viewhyokkey'),
  })
  return total > 0
}

const entryOf = async (
  domain: string,
  { kms_id }: { readonly kms_id: string },
): Promise<{ readonly acls: readonly Acl[] } | undefined> => (await cloudAKms.get(domain, kms_id))?.item

const storeOf = (_domain: string, { local_hosted_params: hosted }: StoredCloudAKey): Promise<string | undefined> =>
  Promise.resolve(hosted?.custom_key_store_id)

const keys: Omit<UsingRecords<StoredCloudAKey, object>, 'noun'> = {
  entity: cloudAKeys,
  containerOf: entryOf,
  viewOf: viewOfKey,
  nameOf: keyName,
  action: 'ReadCloudAKey',
}

/** Keys with material of local keys, hosted keys over local keys, and key stores that are checked with one. */
export const cloudAKeyUser: KeyUser = {
  usesOf: async (context, name, versions) => {
    const domain = context.caller.domain.id
    const [hosted, ...stores] = await Promise.all([
      hostedFrom(domain, name),
      ...versions.map(({ item }) => customKeyStores.members(domain, storesCheckedWith(item.id))),
    ])
    const keyStores = {
      noun: 'key store',
      entity: customKeyStores,
      containerOf: entryOf,
      viewOf: () => 'viewkeystore',
      nameOf: (store: { readonly name: string }) => store.name,
      action: 'ReadCloudACustomKeyStore',
    }
    return Promise.all([
      usesOfMaterial({ ...keys, noun: 'cloud-a key' }, context, versions),
      usesBy({ ...keys, noun: 'hosted key', endpointOf: storeOf }, context, hosted),
      usesBy(keyStores, context, [...new Set(stores.flat())]),
    ])
  },
  hostedOver: async (domain, name) => (await hostedFrom(domain, name)).length,
  maySeeHosted,
}
