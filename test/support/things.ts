import * as z from 'zod'
import { uuid } from '../../shared/base/ids.ts'
import { Changes } from '../../shared/store/changes.ts'
import { entity } from '../../shared/store/entity.ts'

const Thing = z.object({ id: z.string(), name: z.string(), color: z.string(), due: z.string().optional() })
export type Thing = z.infer<typeof Thing>

/** A kind of item with all features of an entity: unique names, sets, families, due times. */
export const things = entity({
  name: 'thing',
  schema: Thing,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: ({ color }) => ['all', `color:${color}`],
  families: ({ name, color }) => [{ name: name.slice(0, 1), key: name, ...(color !== 'red' && { digest: color }) }],
  row: ({ name, color }) => ({ name, color }),
  due: ({ due }) => (due === undefined ? undefined : { what: 'thing-due', at: due }),
})

export const NOW = new Date('2026-05-04T03:02:01.000Z')

export const thing = (name: string, color = 'red', at = NOW): Thing => ({ id: uuid(at), name, color })

/** Creates things, several per transaction, in parallel transactions. */
export async function createThings(domain: string, wanted: readonly Thing[], together = 10, atOnce = 8): Promise<void> {
  const batches: Thing[][] = []
  for (let at = 0; at < wanted.length; at += together) batches.push(wanted.slice(at, at + together))
  const worker = async (): Promise<void> => {
    for (let batch = batches.shift(); batch; batch = batches.shift()) {
      const changes = new Changes()
      for (const item of batch) changes.create(things, domain, item)
      await changes.commit(NOW)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
