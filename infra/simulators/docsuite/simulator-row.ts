import type { SimulatorRow } from '../toolkit/simulator.ts'
import { startDocsuite, type DocsuiteSimulator } from './simulator.ts'

const MANY = /^Project \d/

/** The document suite's identity platform and directory. Its people open documents with DKE endpoints. */
export const docsuite: SimulatorRow<'docsuite', DocsuiteSimulator> = {
  cloud: 'docsuite',
  member: 'docsuite',
  file: 'docsuite.jsonl',
  variable: 'KEYMGR_DKE_IDENTITY_PLATFORM',
  start: async (setting) => {
    const simulator = await startDocsuite(setting)
    const { endpoint, directory } = simulator
    return {
      simulator,
      environment: { KEYMGR_DKE_DIRECTORY: endpoint },
      describe: () => ({
        endpoint,
        people: directory.people.map(({ tenant, upn, password }) => ({ tenant_id: tenant, upn, password })),
        applications: directory.applications.map(({ tenant, clientId, clientSecret }) => ({
          tenant_id: tenant,
          client_id: clientId,
          client_secret: clientSecret,
        })),
        roles: directory.groups.map(({ displayName }) => displayName).filter((name) => !MANY.test(name)),
      }),
    }
  },
}
