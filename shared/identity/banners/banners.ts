import { Refusal } from '../../base/errors.ts'
import { differences } from '../../base/fields.ts'
import { resourceUri, ROOT_DOMAIN_ID } from '../../base/ids.ts'
import type { Context } from '../../http/context.ts'
import { assertIfMatch } from '../../resource/if-match.ts'
import type { Stored } from '../../store/entity.ts'
import type { Banner, BannerName, UpdateBanner } from './model.ts'
import { banners } from './store.ts'

/** A banner, empty while none was set. Ours: the log-in page is before any domain, so all domains share the root's. */
export async function getBanner(name: BannerName): Promise<Stored<Banner>> {
  const stored = await banners.get(ROOT_DOMAIN_ID, name)
  return { item: { message: stored?.item.message ?? '' }, rev: stored?.rev ?? 0 }
}

/** @throws Refusal ACTION_DENIED from a child domain, VERSION_STALE */
export async function updateBanner(
  context: Context,
  name: BannerName,
  { message }: UpdateBanner,
): Promise<Stored<Banner>> {
  const { caller, changes, now } = context
  if (caller.domain.id !== ROOT_DOMAIN_ID)
    throw new Refusal('ACTION_DENIED', 'The banners are those of all domains: they are changed from the root domain.')
  const stored = await banners.get(ROOT_DOMAIN_ID, name)
  const before = stored?.item ?? { message: '' }
  assertIfMatch(context, { rev: stored?.rev ?? 0 })
  const after = { name, message, updatedAt: now.toISOString() }
  if (stored) changes.update(banners, ROOT_DOMAIN_ID, stored, after)
  else changes.create(banners, ROOT_DOMAIN_ID, after)
  context.about({
    uri: resourceUri(ROOT_DOMAIN_ID, 'auth', 'banners', name),
    name,
    ...differences<Banner>(before, after, ['message']),
    record: before,
  })
  return { item: { message }, rev: (stored?.rev ?? 0) + 1 }
}
