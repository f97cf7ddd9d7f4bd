import type { CloudDCall, SimulatedKeyView } from '../../../infra/simulators/cloud-d/simulator.ts'
import { midway } from '../midway/midway.ts'
import type { Recorded, Verb } from '../midway/row.ts'
import type { Holder } from '../vault/vault.ts'
import { BUCKET, makeDeleted } from './backed-up.ts'
import { CLOUD_D, CONNECTIONS, connectionBody, INVOICES, keyBody, KEYS, REGION, vaultId } from './cloud-d.ts'

const refusalsOnly = true
/** Vaults of the keys, with their buckets. */
const VAULTS = { orders: {}, safe: BUCKET }
const native = (name: string): object => keyBody(name, { algorithm: 'AES', length: 32 })
const make = async (who: Holder, name: string): Promise<string> => (await who.ok('POST', KEYS, native(name))).id
const act =
  (action: string, body?: object): Verb['request'] =>
  (_name, id) => ({ path: `${KEYS}/${id}/${action}`, ...(body && { body }) })

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
    for (const [vault, bucket] of Object.entries(VAULTS)) {
      const body = { connection: 'main', region: REGION, vault_id: [vaultId(cloudD, vault)], ...bucket }
      await who.ok('POST', `${CLOUD_D}/add-vaults`, body)
    }
    await who.create({ name: 'source', algorithm: 'aes', size: 256 })
  },
  make,
  there: ({ cloudD }) =>
    Object.keys(VAULTS)
      .flatMap((vault) => cloudD.keysIn(vaultId(cloudD, vault)))
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
    hide: ({ cloudD }, ref) => {
      cloudD.alter(ref, { compartmentId: INVOICES })
      const isHidden = ({ params, query }: CloudDCall): boolean =>
        params.keyId === ref || query.compartmentId === INVOICES
      return cloudD.inject({ fault: 'access-denied', when: isHidden })
    },
  },
  verbs: {
    create: { request: (name) => ({ path: KEYS, body: native(name) }), done: { versions: 1, state: 'ENABLED' } },
    upload: {
      request: (name) => ({ path: `${CLOUD_D}/upload-key`, body: keyBody(name, { source_key_identifier: 'source' }) }),
      done: { versions: 1, state: 'ENABLED' },
      origin: 'keymgr',
    },
    'a version of the cloud': {
      refusalsOnly,
      prepare: make,
      request: act('versions', { is_native: true }),
      done: { versions: 2, state: 'ENABLED' },
      doneLater: { state: 'ENABLED' },
      origin: 'native',
    },
    'a version of a local key': {
      refusalsOnly,
      prepare: make,
      request: act('versions', { source_key_identifier: 'source' }),
      done: { versions: 2, state: 'ENABLED' },
      doneLater: { state: 'ENABLED' },
      origin: 'keymgr',
    },
    'a change of tags': {
      refusalsOnly,
      prepare: make,
      request: (_name, id) => ({ method: 'PATCH', path: `${KEYS}/${id}`, body: { freeform_tags: { changed: 'yes' } } }),
      done: { tags: { changed: 'yes' } },
    },
    'a move': {
      refusalsOnly,
      prepare: make,
      request: act('change-compartment', { compartment_id: INVOICES }),
      done: { compartment: INVOICES },
    },
    disable: { refusalsOnly, prepare: make, request: act('disable'), done: { state: 'DISABLED' } },
    'schedule a deletion': {
      refusalsOnly,
      prepare: make,
      request: act('schedule-deletion', {}),
      done: { state: 'PENDING_DELETION' },
    },
    restore: {
      refusalsOnly,
      prepare: (who, name) => makeDeleted(who.service.deployment, who, name),
      request: act('restore'),
      done: { state: 'ENABLED', versions: 1 },
    },
    refresh: { refusalsOnly, prepare: make, request: act('refresh'), done: { state: 'ENABLED' } },
  },
})
