import { CloudAKey } from '../../../../shared/clouds/cloud-a/keys/model.ts'
import type { CloudAKms } from '../../../../shared/clouds/cloud-a/kms/model.ts'
import { CustomKeyStore, CustomKeyStoreWithSecret } from '../../../../shared/clouds/cloud-a/key-stores/model.ts'
import { LocalKey } from '../../../../shared/vault/keys/model.ts'
import { CLOUD_A, tagOf } from './container-steps.ts'
import { LOCAL_KEYS, remove } from '../demo.ts'
import { assertTold, DemoFailure } from '../failure.ts'
import { act, DAYS, get, KEYS, shownKey } from './key-steps.ts'
import type { Fields } from '../narrator.ts'
import { passDaysOf, type CloudADemo } from './cloud-a-demo.ts'

const STORES = `${CLOUD_A}/custom-key-stores`
/** Time until the cloud sees a change in the service, which takes 5 seconds at most. */
const TAKES_HOLD_SECONDS = 6
const TRIES = 5

interface HostingDemo extends CloudADemo {
  /** of a key store: `https://` and a host name */
  readonly endpoint: string
  readonly passSeconds: (seconds: number) => void
}

/** Demonstrates a hosted key: its material stays here, and the cloud calls the service for each use. */
export async function hostAKey(demo: HostingDemo, kms: CloudAKms, healthKey: LocalKey): Promise<void> {
  const store = await openStore(demo, kms, healthKey)
  const key = await host(demo, store)
  await useAndRotate(demo, key)
  await blockAndUnblock(demo, key)
}

/**
 * The service has 150 ms to read each answer for the cloud. A busy laptop may need longer; then an application repeats
 * the call.
 */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await work()
    } catch (error) {
      const isLate = error instanceof DemoFailure && error.message.includes('DependencyTimeoutException')
      if (!isLate || attempt === TRIES) throw error
    }
}

const shownStore = ({ id, linked_state, cloud_a_param: { connection_state } }: CustomKeyStore): Fields => ({
  id,
  linked_state,
  connection_state,
})

/** Connects the store to the cloud, or disconnects it, and waits for the result. */
async function move({ service }: CloudADemo, { id }: CustomKeyStore, verb: 'connect' | 'disconnect'): Promise<void> {
  const answers = CustomKeyStore
  await service.call('POST', `${STORES}/${id}/${verb}`, { body: {}, answers, shows: shownStore })
  const wanted = verb === 'connect' ? 'CONNECTED' : 'DISCONNECTED'
  const isThere = ({ cloud_a_param: { connection_state } }: CustomKeyStore) =>
    connection_state === wanted || connection_state === 'FAILED'
  const store = await service.until(`${STORES}/${id}`, { answers, isThere, shows: shownStore })
  assertTold(store.cloud_a_param.connection_state === wanted, `the key store is ${wanted}`)
}

async function openStore(demo: HostingDemo, kms: CloudAKms, healthKey: LocalKey): Promise<CustomKeyStore> {
  const { narrator, service, name, region, endpoint, undo } = demo
  narrator.step('Make an external key store, through which the cloud calls keymgr, and connect it')
  const body = {
    name,
    kms: kms.name,
    region,
    linked_state: true,
    cloud_a_param: { xks_proxy_uri_endpoint: endpoint },
    local_hosted_params: { health_check_key_id: healthKey.name, max_credentials: 2 },
  }
  const answers = CustomKeyStoreWithSecret
  const store = await patiently(() => service.call('POST', STORES, { body, answers, shows: shownStore }))
  undo.push(() => remove(demo, `${STORES}/${store.id}`))
  await move(demo, store, 'connect')
  undo.push(() => move(demo, store, 'disconnect'))
  return store
}

async function host(demo: HostingDemo, store: CustomKeyStore): Promise<CloudAKey> {
  const { narrator, service, undo } = demo
  const name = `${demo.name}-hosted`
  narrator.step('Host a key: its material stays here, the cloud makes a key of its own in front of it')
  const source = await service.call('POST', LOCAL_KEYS, {
    body: { name, algorithm: 'aes', size: 256, unexportable: true, undeletable: true },
    answers: LocalKey,
    shows: ({ id, unexportable, undeletable }) => ({ id, unexportable, undeletable }),
  })
  undo.push(() => removeSource(demo, source))
  const body = {
    local_hosted_params: { custom_key_store_id: store.id, source_key_id: name, linked_state: true },
    cloud_a_param: { Alias: name, Tags: [tagOf(demo)] },
  }
  const answers = CloudAKey
  const key = await patiently(() =>
    service.call('POST', `${CLOUD_A}/create-hyok-key`, { body, answers, shows: shownKey }),
  )
  undo.push(() => removeHosted(demo, key))
  assertTold(key.cloud_a_param.XksKeyConfiguration?.Id === key.id, 'the cloud knows the key by the id of our record')
  return key
}

/** Makes the key deletable, then deletes it. */
async function removeSource(demo: CloudADemo, { name }: LocalKey): Promise<void> {
  await demo.service.call('PATCH', `${LOCAL_KEYS}/${name}`, {
    body: { undeletable: false, allVersions: true },
    answers: LocalKey,
    shows: ({ undeletable }) => ({ undeletable }),
  })
  await remove(demo, `${LOCAL_KEYS}/${name}`)
}

/** The store can be deleted when the cloud has no key in it and keymgr has no record of one. */
async function removeHosted(demo: CloudADemo, key: CloudAKey): Promise<void> {
  await act(demo, key, 'schedule-deletion', { days: DAYS })
  passDaysOf(demo)?.(DAYS + 1)
  await demo.logIn()
  const { gone } = await demo.service.call('POST', `${KEYS}/${key.id}/refresh`, {
    answers: CloudAKey,
    shows: (read) => ({ gone: read.gone }),
  })
  assertTold(gone, 'the hosted key is gone')
  await remove(demo, `${KEYS}/${key.id}`)
}

const FIRST = 'written with the first version'
const SECOND = 'written with the second version'

/** An application notices neither that the key is hosted nor that it is rotated. */
async function useAndRotate(demo: HostingDemo, key: CloudAKey): Promise<void> {
  const { narrator, service, cloud, passSeconds } = demo
  const { KeyID } = key.cloud_a_param
  narrator.step('Encrypt through the cloud with the hosted key, rotate it, and read what was written before and after')
  const first = await patiently(() => cloud.encrypt(KeyID, FIRST))
  const { local_key_id } = await service.call('POST', `${KEYS}/${key.id}/rotate`, {
    body: {},
    answers: CloudAKey,
    shows: ({ id, local_key_id, rotated_at }) => ({ id, local_key_id, rotated_at }),
  })
  assertTold(local_key_id !== key.local_key_id, 'the local key behind it has a new version')
  passSeconds(TAKES_HOLD_SECONDS)
  const second = await patiently(() => cloud.encrypt(KeyID, SECOND))
  for (const [plaintext, { ciphertext }] of [
    [FIRST, first],
    [SECOND, second],
  ] as const)
    assertTold((await patiently(() => cloud.decrypt(KeyID, ciphertext))) === plaintext, 'both can be read')
}

/** The owner blocks the key: the service then refuses every call of the cloud. */
async function blockAndUnblock(demo: HostingDemo, key: CloudAKey): Promise<void> {
  const { narrator, cloud, passSeconds } = demo
  const { KeyID } = key.cloud_a_param
  narrator.step('Block the hosted key: the cloud gets nothing from it any more, until it is unblocked')
  await act(demo, key, 'block')
  passSeconds(TAKES_HOLD_SECONDS)
  await cloud.encryptIsRefused(KeyID, 'KMSInvalidStateException')
  await act(demo, key, 'unblock')
  passSeconds(TAKES_HOLD_SECONDS)
  await patiently(() => cloud.encrypt(KeyID, FIRST))
  const { local_hosted_params: hosted } = await get(demo, key, (read) => ({ ...read.local_hosted_params }))
  assertTold(hosted?.blocked === false, 'the key is not blocked')
}
