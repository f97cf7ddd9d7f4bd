import { misused } from '../failures.ts'
import { WHO_AM_I } from '../own-commands.ts'
import { wishOf } from '../operate.ts'
import { show } from '../output/show.ts'
import { connect, settingsOf } from './connect.ts'
import { argumentsOf } from './own-arguments.ts'
import { keptOf } from './tokens.ts'

/** `keymgr whoami` */
export async function main(args: readonly string[]): Promise<number> {
  const parsed = await argumentsOf('whoami', WHO_AM_I, args)
  if (parsed === undefined) return 0
  if (parsed.words.length > 0) throw misused('keymgr whoami takes options alone.')
  const { shared } = parsed
  const { name, profile } = settingsOf(shared)
  const keymgr = await connect(shared)
  const user = await keymgr.get('/v1/auth/self/user')
  const ends = keptOf(name, profile.url)?.ends_at
  const session = {
    profile: name,
    url: profile.url,
    ...(ends !== undefined && { token_ends_at: new Date(ends).toISOString() }),
  }
  await show({ ...session, user }, wishOf(shared, []))
  return 0
}
