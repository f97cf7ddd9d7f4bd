import { rmSync } from 'node:fs'
import { isProblem } from '../../sdk/problem.ts'
import { misused } from '../failures.ts'
import { LOG_OUT } from '../own-commands.ts'
import { reach, settingsOf } from './connect.ts'
import { argumentsOf } from './own-arguments.ts'
import { alone, sessionFile } from './private-files.ts'
import { keptOf, type Kept } from './tokens.ts'

type Keymgr = Awaited<ReturnType<typeof reach>>['keymgr']

/** Ends the log-in at the service: with the refresh token, all tokens derived from it. */
async function revoke(keymgr: Keymgr, { token, refresh_token: refreshToken }: Kept): Promise<void> {
  try {
    if (refreshToken !== undefined) await keymgr.post('/v1/auth/revoke', { body: { refresh_token: refreshToken } })
    else await keymgr.post('/v1/auth/logout', { headers: { authorization: `Bearer ${token}` } })
  } catch (error) {
    if (!isProblem(error, 'unauthenticated', 'not-found')) throw error // it has already ended
  }
}

/** `keymgr logout`: first removes the tokens here, whatever the service answers. */
export async function main(args: readonly string[]): Promise<number> {
  const parsed = await argumentsOf('logout', LOG_OUT, args)
  if (parsed === undefined) return 0
  if (parsed.words.length > 0) throw misused('keymgr logout takes options alone.')
  const { name, profile } = settingsOf(parsed.shared)
  const kept = await alone(sessionFile(name), () => {
    const found = keptOf(name, profile.url)
    rmSync(sessionFile(name), { force: true })
    return Promise.resolve(found)
  })
  if (kept !== undefined) await revoke((await reach(profile)).keymgr, kept)
  process.stderr.write(kept === undefined ? `Profile ${name} was not logged in.\n` : `Logged out of ${profile.url}.\n`)
  return 0
}
