/** The simulated datacust, for `startSimulated`. */
import { startDatacust, type DatacustSimulator } from '../../infra/simulators/datacust/simulator.ts'
import { createClock } from '../../infra/local/clock.ts'
import { answerWishes, startSimulated, type SimulatedCloud } from '../simulated-cloud.ts'

const wishes = (cloud: DatacustSimulator) => {
  const [tenant] = cloud.tenants
  const [person] = tenant?.people ?? []
  if (tenant === undefined || person === undefined) throw new Error('The simulated cloud has no people')
  const groups = Object.fromEntries(tenant.groups.map(({ id, name }) => [name, id]))
  const groupId = (name: string): string => groups[name] ?? ''
  return {
    address: () => ({
      ...{ endpoint: cloud.endpoint, apiEndpoint: cloud.apiEndpoint, groups },
      user: { tenant: tenant.name, user: person.username, secret: person.password },
    }),
    seed: (group: string, count: number): void => {
      cloud.seed(groupId(group), count)
    },
    changeEvery: (group: string, nth: number): number => {
      const some = cloud.keysIn(groupId(group)).filter((_, at) => at % nth === 0)
      for (const { id } of some) cloud.alter(id, { description: 'altered' })
      return some.length
    },
  }
}
type Wishes = ReturnType<typeof wishes>
export type SimulatedDatacust = SimulatedCloud<Wishes>

export const startSimulatedDatacust = (): Promise<SimulatedDatacust> => startSimulated<Wishes>(import.meta.filename)

if (import.meta.main) answerWishes(wishes(await startDatacust({ clock: createClock() })))
