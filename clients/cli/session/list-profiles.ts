import { misused } from '../failures.ts'
import { PROFILES } from '../own-commands.ts'
import { wishOf } from '../operate.ts'
import { checkWish, show } from '../output/show.ts'
import { argumentsOf } from './own-arguments.ts'
import { alone, configFile } from './private-files.ts'
import { readConfig, writeConfig } from './profiles.ts'
import { keptOf } from './tokens.ts'

const use = (name: string): Promise<void> =>
  alone(configFile(), () => {
    const { profiles } = readConfig()
    if (profiles[name] === undefined) throw misused(`There is no profile ${name}.`)
    writeConfig({ current: name, profiles })
    return Promise.resolve()
  })

/** `keymgr profiles`, `keymgr profiles use name` */
export async function main(args: readonly string[]): Promise<number> {
  const parsed = await argumentsOf('profiles', PROFILES, args)
  if (parsed === undefined) return 0
  const wish = wishOf(parsed.shared, PROFILES.columns)
  await checkWish(wish, PROFILES.answers)
  const [verb, name, more] = parsed.words
  if (verb === 'use' && name !== undefined && more === undefined) await use(name)
  else if (verb !== undefined) throw misused('keymgr profiles lists, and keymgr profiles use takes the name of one.')
  const { current, profiles } = readConfig()
  const rows = Object.entries(profiles).map(([each, { url, name: user, method }]) => ({
    name: each,
    current: each === current,
    url,
    ...(user !== undefined && { user }),
    method,
    logged_in: keptOf(each, url) !== undefined,
  }))
  await show(rows, wish)
  return 0
}
