import type { SimulatorRow } from '../toolkit/simulator.ts'
import { startWorkspace, type WorkspaceSimulator } from './simulator.ts'

/**
 * The workspace suite, whose files are encrypted with keys that KACLS endpoints wrap, and a company's identity
 * provider.
 */
export const workspace: SimulatorRow<'workspace', WorkspaceSimulator> = {
  cloud: 'workspace',
  member: 'workspace',
  file: 'workspace.jsonl',
  variable: 'KEYMGR_KACLS_KEY_SETS',
  start: async (setting) => {
    const simulator = await startWorkspace(setting)
    const { endpoint, keySets, openidConfigurationUrl, people } = simulator
    return {
      simulator,
      environment: { KEYMGR_KACLS_KEY_SETS: keySets, KEYMGR_KACLS_LOOPBACK: 'allowed' },
      describe: () => ({
        endpoint,
        key_sets: keySets,
        openid_configuration_url: openidConfigurationUrl,
        people: people.map(({ email, password, google_email }) => ({ email, password, google_email })),
      }),
    }
  },
}
