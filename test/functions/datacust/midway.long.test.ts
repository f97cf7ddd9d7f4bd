import type { SimulatedKeyView } from '../../../infra/simulators/datacust/simulator.ts'
import type { DatacustFault } from '../../../infra/simulators/datacust/wire/faults.ts'
import { midway } from '../midway/midway.ts'
import type { Recorded } from '../midway/row.ts'
import type { Holder } from '../vault/vault.ts'
import { CONNECTIONS, DATACUST, groupNamed, KEYS, mainBody } from './datacust.ts'

const AES = { type: 'AES', operations: ['ENCRYPT', 'DECRYPT'] }
const native = (name: string): object => ({ group: 'finance', name, size: 256, ...AES })
const uploaded = (name: string): object => ({ group: 'finance', name, source_key_identifier: 'source', ...AES })
const make = async (who: Holder, name: string): Promise<string> => (await who.ok('POST', KEYS, native(name))).id

/** The key of the group that wraps imported material has no record. */
const wraps = ({ operations }: SimulatedKeyView): boolean => operations.includes('UNWRAP')
/** Calls that concern keys; a log-in is made whenever the token of the former one ended. */
const isOnKeys = ({ operation }: { readonly operation: string }): boolean => operation !== 'LogIn'

midway({
  cloud: 'datacust',
  inject: ({ datacust }, fault) => datacust.inject({ ...fault, when: isOnKeys } satisfies DatacustFault),
  calls: ({ datacust }) => datacust.calls().filter(isOnKeys).length,
  setUp: async (who) => {
    const { datacust } = who.service.deployment
    await who.ok('POST', CONNECTIONS, mainBody(datacust))
    const group_id = [groupNamed(datacust, 'finance').id]
    await who.ok('POST', `${DATACUST}/add-groups`, { connection: 'main', group_id })
    await who.create({ name: 'source', algorithm: 'aes', size: 256 })
  },
  make,
  there: ({ datacust }) =>
    datacust
      .keysIn(groupNamed(datacust, 'finance').id)
      .filter((key) => !wraps(key))
      .map(({ id, name, enabled, versions }) => ({
        ...{ ref: id, name, live: enabled },
        facts: { enabled, versions: versions.length },
      })),
  recorded: async (who) => {
    const { resources } = await who.ok('GET', `${KEYS}?limit=-1`)
    return resources
      .filter(({ gone }: any) => !gone)
      .map(({ id, unread, version_count, datacust_param: { id: ref, name, enabled } }: any): Recorded => ({
        ...{ id, unread: unread !== undefined, ref, name, live: enabled },
        facts: { enabled, versions: version_count },
      }))
  },
  refresh: (id) => `${KEYS}/${id}/refresh`,
  originOf: async (who, id) => {
    const { resources } = await who.ok('GET', `${KEYS}/${id}/versions`)
    return resources.find(({ is_primary }: any) => is_primary)?.origin
  },
  others: {
    disable: ({ datacust }, ref) => datacust.alter(ref, { enabled: false }),
    remove: ({ datacust }, ref) => datacust.forget(ref),
  },
  verbs: {
    create: { request: (name) => ({ path: KEYS, body: native(name) }), done: { enabled: true, versions: 1 } },
    upload: {
      request: (name) => ({ path: `${DATACUST}/upload-key`, body: uploaded(name) }),
      done: { enabled: true, versions: 1 },
      origin: 'keymgr',
    },
    'a version of the cloud own': {
      prepare: make,
      request: (_name, id) => ({ path: `${KEYS}/${id}/versions`, body: { is_native: true } }),
      done: { enabled: true },
    },
    'a version of a local key': {
      prepare: make,
      request: (_name, id) => ({ path: `${KEYS}/${id}/versions`, body: { source_key_identifier: 'source' } }),
      done: { enabled: true },
      origin: 'keymgr',
      refusalsOnly: true,
    },
    change: {
      prepare: make,
      request: (_name, id) => ({ method: 'PATCH', path: `${KEYS}/${id}`, body: { enabled: false } }),
      done: { enabled: false, versions: 1 },
      refusalsOnly: true,
    },
    restore: {
      prepare: async (who, name) => {
        const id = await make(who, name)
        await who.ok('POST', `${KEYS}/${id}/delete`)
        return id
      },
      request: (_name, id) => ({ path: `${KEYS}/${id}/restore` }),
      done: { enabled: true, versions: 1 },
      refusalsOnly: true,
    },
    delete: { prepare: make, request: (_name, id) => ({ path: `${KEYS}/${id}/delete` }) },
  },
})
