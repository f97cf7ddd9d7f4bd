import { randomUUID } from 'node:crypto'
import type { Deployment } from '../../../infra/local/deployment.ts'
import type { SimulatedKeyView } from '../../../infra/simulators/cloud-a/simulator.ts'
import { midway } from '../midway/midway.ts'
import type { Recorded, Verb } from '../midway/row.ts'
import type { Holder } from '../vault/vault.ts'
import { CLOUD_A, KEYS, REGION, UPLOAD } from './cloud-a.ts'

const refusalsOnly = true
const body = (name: string, more: object = {}): object => ({
  ...{ kms: 'main', region: REGION, cloud_a_param: { Alias: name } },
  ...more,
})
const make = async (who: Holder, name: string): Promise<string> => (await who.ok('POST', KEYS, body(name))).id
const act =
  (action: string, wanted?: object): Verb['request'] =>
  (_name, id) => ({ path: `${KEYS}/${id}/${action}`, ...(wanted && { body: wanted }) })

const accountOf = ({ cloudA }: Deployment): string => cloudA.accounts[0]?.id ?? ''
const isLive = (state: string): boolean => state === 'Enabled'
const factsOf = (state: string, aliases: readonly string[], description: string) => ({
  ...{ state, description },
  aliases: aliases.toSorted(),
})

/** A key that was created and could not be finished loses its name, and waits for its deletion. */
midway({
  cloud: 'cloud-a',
  inject: ({ cloudA }, fault) => cloudA.inject({ ...fault, service: 'kms' }),
  calls: ({ cloudA }) => cloudA.calls().filter(({ service }) => service === 'kms').length,
  setUp: async (who) => {
    const [main] = who.service.deployment.cloudA.accounts
    const { accessKeyId: access_key_id, secretAccessKey: secret_access_key } = main?.credentials ?? {}
    const connection = { name: 'main', access_key_id, secret_access_key }
    await who.ok('POST', '/v1/connectionmgmt/services/cloud-a/connections', connection)
    const kms = { name: 'main', account_id: main?.id, connection: 'main', regions: [REGION] }
    await who.ok('POST', `${CLOUD_A}/kms`, kms)
    await who.create({ name: 'source', algorithm: 'aes', size: 256 })
  },
  make,
  there: (deployment) =>
    deployment.cloudA
      .keysIn(accountOf(deployment), REGION)
      .map(({ id, state, aliases, description }: SimulatedKeyView) => {
        const names = aliases.map((alias) => alias.replace('alias/', ''))
        return { ref: id, name: names[0] ?? '', live: isLive(state), facts: factsOf(state, names, description) }
      }),
  recorded: async (who) => {
    const { resources } = await who.ok('GET', `${KEYS}?limit=-1`)
    return resources
      .filter(({ gone }: any) => !gone)
      .map(({ id, unread, cloud_a_param: { KeyID: ref, KeyState, Alias = [], Description = '' } }: any): Recorded => ({
        ...{ id, unread: unread !== undefined, ref, name: Alias[0] ?? '', live: isLive(KeyState) },
        facts: factsOf(KeyState, Alias, Description),
      }))
  },
  refresh: (id) => `${KEYS}/${id}/refresh`,
  originOf: async (who, id) => (await who.ok('GET', `${KEYS}/${id}`)).key_material_origin,
  others: {
    disable: (deployment, ref) => deployment.cloudA.alter(accountOf(deployment), REGION, ref, { enabled: false }),
    remove: (deployment, ref) => deployment.cloudA.alter(accountOf(deployment), REGION, ref, { deletionInDays: 7 }),
    takeName: (deployment, name) => {
      const ref = randomUUID()
      const describe = () => ({ id: ref, aliases: [`alias/${name}`] })
      deployment.cloudA.seed({ account: accountOf(deployment), region: REGION, count: 1, describe })
      return ref
    },
  },
  verbs: {
    create: { request: (name) => ({ path: KEYS, body: body(name) }), done: { state: 'Enabled' } },
    upload: {
      request: (name) => ({ path: UPLOAD, body: body(name, { source_key_identifier: 'source' }) }),
      done: { state: 'Enabled' },
      origin: 'keymgr',
    },
    'a change of the description': {
      refusalsOnly,
      prepare: make,
      request: act('update-description', { description: 'changed' }),
      done: { description: 'changed' },
    },
    'schedule a deletion': {
      refusalsOnly,
      prepare: make,
      request: act('schedule-deletion', { days: 7 }),
      done: { state: 'PendingDeletion' },
    },
  },
})
