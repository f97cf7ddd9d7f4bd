import { defined } from '../../shared/base/fields.ts'
import { ALL_ITEMS, workFacts, type WorkFacts } from '../../shared/work/work-facts.ts'
import type { Json } from './schemas.ts'

const factsOf = ({ containerList, syncItems, rotation, discovery, jobOperations }: WorkFacts): Json => ({
  ...defined({ containers: containerList }),
  ...(syncItems && { items: [...Object.keys(syncItems), ALL_ITEMS] }),
  ...(rotation && {
    rotation: {
      byAge: rotation.byAge,
      byExpiry: rotation.byExpiry,
      ...(rotation.param && { param: rotation.param.field }),
    },
  }),
  ...(discovery && { discovery: { byRegion: discovery.byRegion, byRole: discovery.role !== undefined } }),
  ...(jobOperations && {
    operations: Object.fromEntries(jobOperations.map(({ name, params }) => [name, params.field])),
  }),
})

/**
 * What job configurations can do with the keys of each `cloud_name` (`x-keymgr-work`): the field that lists its
 * containers and the words of `sync_item`, how a rotation selects its keys, how its containers are found, the field of the cloud's parameters, and
 * operations that only this cloud has, each with the field of its parameters.
 */
export const workOfClouds = (): Json =>
  Object.fromEntries(
    workFacts()
      .filter(({ isOffered }) => isOffered)
      .map((row) => [row.name, factsOf(row)] as const)
      .filter(([, facts]) => Object.keys(facts).length > 0),
  )
