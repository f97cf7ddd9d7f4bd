import { Refusal } from '../../base/errors.ts'
import { resourceUri, ROOT_DOMAIN_ID } from '../../base/ids.ts'
import type { Context } from '../../http/context.ts'
import type { Kind } from '../../resource/kind.ts'
import { changeRecord, getRecord } from '../../resource/records.ts'
import type { Stored } from '../../store/entity.ts'
import type { Banner, BannerName, UpdateBanner } from './model.ts'
import { banners, type StoredBanner } from './store.ts'

/**
 * A banner, empty until it is set. Ours: the log-in page belongs to no domain, so all domains share the root domain's
 * banners.
 */
const kindOf = (name: BannerName): Kind<StoredBanner, object, Banner> => ({
  entity: banners,
  noun: 'banner',
  domain: ROOT_DOMAIN_ID,
  uri: (domain, id) => resourceUri(domain, 'auth', 'banners', id),
  find: async () => (await banners.get(ROOT_DOMAIN_ID, name)) ?? { item: { name, message: '', updatedAt: '' }, rev: 0 },
  audited: ['message'],
  present: ({ message }) => ({ message }),
})

export const getBanner = (context: Context, name: BannerName): Promise<Stored<Banner>> =>
  getRecord(kindOf(name), context, name)

/** @throws Refusal ACTION_DENIED from a child domain, VERSION_STALE */
export async function updateBanner(
  context: Context,
  name: BannerName,
  { message }: UpdateBanner,
): Promise<Stored<Banner>> {
  if (context.caller.domain.id !== ROOT_DOMAIN_ID)
    throw new Refusal('ACTION_DENIED', 'The banners are those of all domains: they are changed from the root domain.')
  return changeRecord(kindOf(name), context, name, (banner) => ({ ...banner, message }))
}
