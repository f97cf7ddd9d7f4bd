import type { SimulatedKeyView } from '../../../infra/simulators/cloud-d/simulator.ts'
import { midway } from '../midway/midway.ts'
import type { Recorded } from '../midway/row.ts'
import type { Holder } from '../vault/vault.ts'
import { CLOUD_D, CONNECTIONS, connectionBody, keyBody, KEYS, REGION, vaultId } from './cloud-d.ts'

const native = (name: string): object => keyBody(name, { algorithm: 'AES', length: 32 })
const make = async (who: Holder, name: string): Promise<string> => (await who.ok('POST', KEYS, native(name))).id
/** A key whose creation was abandoned is disabled. */
const isLive = (state: string): boolean => !['DISABLED', 'PENDING_DELETION'].includes(state)
const factsOf = (state: string, versions: number, compartment: string, tags: Readonly<Record<string, string>>) => {
  const own = Object.fromEntries(Object.entries(tags).filter(([name]) => name === 'changed'))
  return { state, versions, compartment, tags: own }
}

midway({
  cloud: 'cloud-d',
  inject: ({ cloudD }, fault) => cloudD.inject({ ...fault, service: 'keys' }),
  calls: ({ cloudD }) => cloudD.calls().filter(({ service }) => service === 'keys').length,
  setUp: async (who) => {
    const { cloudD } = who.service.deployment
    cloudD.setDelays({ transitMs: 5 })
    await who.ok('POST', CONNECTIONS, connectionBody(cloudD, 'main'))
    const body = { connection: 'main', region: REGION, vault_id: [vaultId(cloudD, 'orders')] }
    await who.ok('POST', `${CLOUD_D}/add-vaults`, body)
    await who.create({ name: 'source', algorithm: 'aes', size: 256 })
  },
  make,
  there: ({ cloudD }) =>
    cloudD
      .keysIn(vaultId(cloudD, 'orders'))
      .filter(({ state }: SimulatedKeyView) => state !== 'DELETED')
      .map(({ id, displayName, state, versions, compartmentId, freeformTags }) => ({
        ...{ ref: id, name: displayName, live: isLive(state) },
        facts: factsOf(state, versions.length, compartmentId, freeformTags),
      })),
  recorded: async (who) => {
    const { resources } = await who.ok('GET', `${KEYS}?limit=-1`)
    return resources
      .filter(({ gone, cloud_d_params }: any) => !gone && cloud_d_params.lifecycle_state !== 'DELETED')
      .map(({ id, unread, version_count, cloud_d_params: { lifecycle_state, ...param } }: any): Recorded => ({
        ...{ id, unread: unread !== undefined, ref: param.key_id, name: param.display_name },
        live: isLive(lifecycle_state),
        facts: factsOf(lifecycle_state, version_count, param.compartment_id, param.freeform_tags),
      }))
  },
  refresh: (id) => `${KEYS}/${id}/refresh`,
  originOf: async (who, id) => {
    const { resources } = await who.ok('GET', `${KEYS}/${id}/versions`)
    return resources.find(({ is_current }: any) => is_current)?.key_material_origin
  },
  others: {
    disable: ({ cloudD }, ref) => cloudD.alter(ref, { state: 'DISABLED' }),
    remove: ({ cloudD }, ref) => cloudD.alter(ref, { state: 'DELETED' }),
  },
  verbs: {
    create: { request: (name) => ({ path: KEYS, body: native(name) }), done: { versions: 1, state: 'ENABLED' } },
    upload: {
      request: (name) => ({ path: `${CLOUD_D}/upload-key`, body: keyBody(name, { source_key_identifier: 'source' }) }),
      done: { versions: 1, state: 'ENABLED' },
      origin: 'keymgr',
    },
  },
})
