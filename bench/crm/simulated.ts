import { createClock } from '../../infra/local/clock.ts'
import { SHOP, startCrm, type CrmSimulator } from '../../infra/simulators/crm/simulator.ts'
import { answerWishes, startSimulated, type SimulatedCloud } from '../simulated-cloud.ts'

const wishes = (cloud: CrmSimulator) => ({
  address: () => {
    const { endpoint, credentials } = cloud
    return { endpoint, credentials }
  },
  seed: (organization: string, count: number): void => {
    cloud.seed(organization, count - cloud.secrets(organization).length)
  },
  secretsOf: (organization: string) => cloud.secrets(organization),
  changeEvery: (organization: string, nth: number): number => {
    const some = cloud.secrets(organization).filter((_, at) => at % nth === 0)
    for (const { id } of some) cloud.alter(id, { description: 'changed' })
    return some.length
  },
})
type Wishes = ReturnType<typeof wishes>
export type SimulatedCrm = SimulatedCloud<Wishes>

export const startSimulatedCrm = (): Promise<SimulatedCrm> => startSimulated<Wishes>(import.meta.filename)

if (import.meta.main) {
  const cloud = await startCrm({ clock: createClock() })
  cloud.changeSettings(SHOP, { allowsPasswordFlow: true })
  answerWishes(wishes(cloud))
}
