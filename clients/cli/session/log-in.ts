import { realTime } from '../../sdk/timing.ts'
import { byDevice, byPassword, type DevicePrompt, type Way } from '../../sdk/ways.ts'
import type { Parsed } from '../arguments/parse.ts'
import { readSecret } from '../arguments/secret-sources.ts'
import { misused } from '../failures.ts'
import { LOG_IN } from '../own-commands.ts'
import { printable } from '../output/printable.ts'
import { reach, settingsOf, wayOf } from './connect.ts'
import { argumentsOf } from './own-arguments.ts'
import { alone, configFile, sessionFile } from './private-files.ts'
import { absolute, readConfig, writeConfig, type Profile } from './profiles.ts'
import { keep } from './tokens.ts'

const tell = (sentence: string): boolean => process.stderr.write(`${sentence}\n`)

const valueOf = (parsed: Parsed, name: string): unknown => {
  const row = LOG_IN.options.find(({ option }) => option === name)
  return row === undefined ? undefined : parsed.values.get(row)
}

const textOf = (parsed: Parsed, name: string): string | undefined => valueOf(parsed, name) as string | undefined

async function passwordOf({ secrets }: Parsed): Promise<string> {
  const row = LOG_IN.options.find(({ option }) => option === 'password')
  if (row === undefined) throw new Error('Logging in takes a password')
  const source = secrets.get(row)
  const { KEYMGR_PASSWORD: given } = process.env
  if (source === undefined && given !== undefined) return given
  return readSecret(source ?? { row, from: 'prompt' })
}

async function nameOf(parsed: Parsed, former: string | undefined): Promise<string> {
  const given = textOf(parsed, 'name') ?? process.env.KEYMGR_NAME ?? former
  if (given !== undefined) return given
  if (!process.stdin.isTTY) throw misused('Required and not given: --name.')
  const { ask } = await import('../prompt.ts')
  return ask('Name: ', { echo: true })
}

/** Whether the command line names the user; otherwise the profile does. */
const saysWho = ({ values }: Parsed): boolean => values.size > 0

/** Fields of the profile from the command line. */
function profileOf(parsed: Parsed, former: Profile): Profile {
  if (!saysWho(parsed)) return former
  const said = (name: string): string | undefined => textOf(parsed, name)
  const certificate = absolute(said('certificate'))
  const isDevice = valueOf(parsed, 'device') === true
  if (certificate !== undefined && said('key') === undefined) throw misused('--certificate needs --key.')
  if (certificate !== undefined && isDevice) throw misused('At most one of --certificate and --device is given.')
  return {
    url: former.url,
    method: certificate !== undefined ? 'certificate' : isDevice ? 'device' : 'password',
    domain: said('domain'),
    auth_domain: said('auth-domain'),
    connection: said('connection'),
    client_id: said('client-id'),
    certificate,
    key: absolute(said('key')),
    ca: former.ca,
    insecure_http: former.insecure_http,
  }
}

function showPrompt({ user_code, verification_uri, verification_uri_complete }: DevicePrompt): void {
  tell(`Open ${printable(verification_uri)} in a browser, and type in the code ${printable(user_code)}.`)
  if (verification_uri_complete !== undefined) tell(`Or open ${printable(verification_uri_complete)}.`)
}

/** Fields of a session, without undefined ones. */
const sessionOf = ({ domain, auth_domain }: Profile) => ({
  ...(domain !== undefined && { domain }),
  ...(auth_domain !== undefined && { auth_domain }),
})

async function wayToLogIn(profile: Profile, parsed: Parsed): Promise<Way> {
  const { method, connection, name = '' } = profile
  const byItself = wayOf(profile)
  if (byItself !== undefined) return byItself
  if (method === 'password') {
    const password = await passwordOf(parsed)
    return byPassword({ name, password, ...(connection && { connection }), ...sessionOf(profile) })
  }
  if (connection === undefined) throw misused('--device needs --connection, the identity provider.')
  return byDevice({ connection, show: showPrompt, ...sessionOf(profile) })
}

/** Saves the profile as the current one. */
const keepProfile = (name: string, profile: Profile): Promise<void> =>
  alone(configFile(), () => {
    const { profiles } = readConfig()
    writeConfig({ current: name, profiles: { ...profiles, [name]: profile } })
    return Promise.resolve()
  })

/** `keymgr login` */
export async function main(args: readonly string[]): Promise<number> {
  const parsed = await argumentsOf('login', LOG_IN, args)
  if (parsed === undefined) return 0
  if (parsed.words.length > 0) throw misused('keymgr login takes options alone.')
  const { name: profileName, profile: former } = settingsOf(parsed.shared)
  const made = profileOf(parsed, former)
  const profile = made.method === 'password' ? { ...made, name: await nameOf(parsed, former.name) } : made
  const { keymgr, url } = await reach(profile)
  const way = await wayToLogIn(profile, parsed)
  const granted = await way.begin({ keymgr, timing: realTime })
  await alone(sessionFile(profileName), () => Promise.resolve(keep(profileName, url, granted)))
  await keepProfile(profileName, profile)
  tell(`Logged in at ${url}, kept as profile ${profileName}.`)
  return 0
}
