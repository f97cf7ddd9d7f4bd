import type { Keymgr } from '../../sdk/client.ts'
import { isProblem } from '../../sdk/problem.ts'
import { misused } from '../failures.ts'
import { WHO_AM_I } from '../own-commands.ts'
import { wishOf } from '../operate.ts'
import { checkWish, show } from '../output/show.ts'
import { connected, settingsOf } from './connect.ts'
import { argumentsOf } from './own-arguments.ts'
import { keptOf } from './tokens.ts'

/** The client in a token: a registered client is not a user and cannot read its own record. */
function clientIn(token: string): object {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as {
    cust: { client_id: string; client_name: string; groups: string[] }
  }
  const { client_id, client_name, groups } = claims.cust
  return { client_id, client_name, groups }
}

async function callerOf(keymgr: Keymgr, token: string | undefined): Promise<object> {
  try {
    return { user: await keymgr.get('/v1/auth/self/user') }
  } catch (error) {
    if (token === undefined || !isProblem(error, 'denied')) throw error
    return { client: clientIn(token) }
  }
}

/** `keymgr whoami` */
export async function main(args: readonly string[]): Promise<number> {
  const parsed = await argumentsOf('whoami', WHO_AM_I, args)
  if (parsed === undefined) return 0
  if (parsed.words.length > 0) throw misused('keymgr whoami takes options alone.')
  const { shared } = parsed
  const { name, profile } = settingsOf(shared)
  const wish = wishOf(shared, [])
  await checkWish(wish, WHO_AM_I.answers)
  const caller = await connected(shared, (keymgr) =>
    callerOf(keymgr, process.env.KEYMGR_TOKEN ?? keptOf(name, profile.url)?.token),
  )
  const ends = keptOf(name, profile.url)?.ends_at
  const session = {
    profile: name,
    url: profile.url,
    ...(ends !== undefined && { token_ends_at: new Date(ends).toISOString() }),
  }
  await show({ ...session, ...caller }, wish)
  return 0
}
