import { operation, okStored, route, type Route } from '../../http/operation.ts'
import type { Permission } from '../../http/permission.ts'
import { getBanner, updateBanner } from './banners.ts'
import { Banner, UpdateBanner, type BannerName } from './model.ts'

const routesOf = (name: BannerName, noun: string, reads: Permission): Route[] => [
  route(
    'GET',
    `/v1/auth/banners/${name}`,
    operation({ summary: `Get ${noun}`, answers: Banner, may: reads }, async ({ context }) =>
      okStored(await getBanner(context, name)),
    ),
  ),
  route(
    'PATCH',
    `/v1/auth/banners/${name}`,
    operation(
      { summary: `Update ${noun}`, body: UpdateBanner, answers: Banner, may: 'admins' },
      async ({ body, context }) => okStored(await updateBanner(context, name, body)),
    ),
  ),
]

/** Texts of the log-in page: one before log-in, one after it. */
export const routes: readonly Route[] = [
  ...routesOf('pre-auth', 'Log-in Banner', 'anyone'),
  ...routesOf('post-auth', 'Welcome Banner', 'signed-in'),
]
