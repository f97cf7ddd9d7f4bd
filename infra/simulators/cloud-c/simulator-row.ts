import type { SimulatorRow } from '../toolkit/simulator.ts'
import { startCloudC, type CloudCSimulator } from './simulator.ts'

/** Projects that have key rings. */
const projectsOf = ({ projects, rings }: CloudCSimulator) =>
  projects()
    .map(({ id }) => ({ id, key_rings: rings().filter((name) => name.startsWith(`projects/${id}/`)) }))
    .filter(({ key_rings }) => key_rings.length > 0)

export const cloudC: SimulatorRow<'cloudC', CloudCSimulator> = {
  cloud: 'cloud-c',
  member: 'cloudC',
  file: 'cloud-c.jsonl',
  variable: 'CLOUD_C_ENDPOINT',
  start: async (setting) => {
    const simulator = await startCloudC(setting)
    const { endpoint, keyFiles: key_files } = simulator
    return { simulator, describe: () => ({ endpoint, key_files, projects: projectsOf(simulator) }) }
  },
}
