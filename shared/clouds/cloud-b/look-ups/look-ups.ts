import type * as z from 'zod'
import { defined } from '../../../base/fields.ts'
import type { Context } from '../../../http/context.ts'
import { cloudB } from '../adapter.ts'
import { entryOf } from '../place.ts'
import { connectionNamed } from '../reached.ts'
import type { FindVaults, FoundVaults } from '../vaults/model.ts'

/** One page of a subscription's resources. @throws Refusal NOT_FOUND, CLOUD_… */
const finding =
  (read: 'vaults' | 'managedHsms') =>
  async (context: Context, body: FindVaults): Promise<z.input<typeof FoundVaults>> => {
    const { connection, subscription_id, limit, nextLink: next_link } = body
    const entry = await entryOf(context, await connectionNamed(context, connection))
    const { items, next_link: next } = await cloudB[read](entry, { subscription_id, limit, next_link })
    return { vaults: [...items], ...defined({ nextLink: next }) }
  }

export const findVaults = finding('vaults')
export const findManagedHsms = finding('managedHsms')
