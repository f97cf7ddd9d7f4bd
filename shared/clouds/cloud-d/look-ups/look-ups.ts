import type * as z from 'zod'
import { defined } from '../../../base/fields.ts'
import type { Context } from '../../../http/context.ts'
import { cloudD } from '../adapter.ts'
import { connectionNamed, entryOf } from '../place.ts'
import type * as models from '../vaults/model.ts'

type Body<Name extends keyof typeof models> = z.output<Extract<(typeof models)[Name], z.ZodType>>

const entryBy = async (context: Context, { connection }: { readonly connection: string }) =>
  entryOf(context, await connectionNamed(context, connection))

/** Resources that a connection reaches, read from the cloud now. @throws Refusal NOT_FOUND, CLOUD_… */
export const findRegions = async (context: Context, body: Body<'FindRegions'>) => ({
  regions: [...(await cloudD.regions(await entryBy(context, body)))],
})

export async function findCompartments(context: Context, body: Body<'FindCompartments'>) {
  const { compartment_id, limit, nextpage: page } = body
  const { items, next } = await cloudD.compartments(await entryBy(context, body), compartment_id, { limit, page })
  return { compartments: [...items], ...defined({ nextpage: next }) }
}

export async function findVaults(context: Context, body: Body<'FindVaults'>) {
  const { compartment_id, region, limit, next: page } = body
  const found = await cloudD.vaults(await entryBy(context, body), region, compartment_id, { limit, page })
  return { vaults: [...found.items], ...defined({ next: found.next }) }
}

export async function findDefinedTags(context: Context, body: Body<'FindDefinedTags'>) {
  const found = await cloudD.definedTags(await entryBy(context, body), body.compartment_id)
  return { defined_tags: Object.fromEntries(Object.entries(found).map(([name, keys]) => [name, [...keys]])) }
}

export async function findBuckets(context: Context, body: Body<'FindBuckets'>) {
  const { compartment_id, region, namespace, limit, nextpage: page } = body
  const entry = await entryBy(context, body)
  const { items, next } = await cloudD.buckets(entry, region, compartment_id, namespace, { limit, page })
  return { buckets: [...items], ...defined({ nextpage: next }) }
}
