import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { useCommandLine } from '../../support/command-line.ts'

/** Completion in a real bash. The scripts of the other shells call keymgr in the same way. */
const keymgr = useCommandLine()
let bash = ''

beforeAll(async () => {
  bash = await keymgr.done('completion', 'bash')
})

/** Completions of bash for a line with a partial last word. */
function offered(...words: string[]): string[] {
  const script = `${bash}
    COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); COMPREPLY=(); _keymgr; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr, status } = spawnSync('bash', ['-c', script, 'bash', keymgr.program, ...words], {
    env: keymgr.environment,
    cwd: keymgr.home,
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout.split('\n').filter((line) => line !== '')
}

test.each([
  [['va'], ['vault']],
  [['cloud-a', 'ke'], ['keys']],
  [
    ['cloud-a', 'keys', 'rot'],
    ['rotate', 'rotate-material', 'rotate-material-status', 'rotations'],
  ],
  [['cloud-a', 'keys', 'rotate', 'orders', '--ret'], ['--retain-alias']],
  [['cloud-a', 'keys', 'rotate', 'orders', '--no-ret'], ['--no-retain-alias']],
  [
    ['vault', 'keys', 'list', '--state', 'De'],
    ['Deactivated', 'Destroyed', 'Destroyed Compromised'],
  ],
  [
    ['vault', 'keys', 'list', '-o', ''],
    ['table', 'json', 'yaml', 'csv'],
  ],
  [
    ['users', 'create', '--pass'],
    ['--password-file', '--password-env', '--password-change-required', '--password-policy'],
  ],
  [
    ['connections', 'cloud-'],
    ['cloud-a', 'cloud-b', 'cloud-c', 'cloud-d'],
  ],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [['login', '--dev'], ['--device']],
])('bash offers for %j', (words, offers) => {
  expect(offered(...words)).toEqual(offers)
})

test('bash offers files where keymgr knows no words', () => {
  fs.writeFileSync(path.join(keymgr.home, 'body.yaml'), '')
  expect(offered('vault', 'keys', 'create', '--name', 'body')).toEqual(['body.yaml'])
})

test('the scripts of zsh and fish ask for the words typed so far, and offer them', async () => {
  const zsh = await keymgr.done('completion', 'zsh')
  expect(zsh).toMatch(/^#compdef keymgr\n/)
  expect(zsh).toContain('"${words[1]}" completion offer -- "${(@)words[2,CURRENT]}"')
  expect(zsh).toContain('compadd -a offers')
  const fish = await keymgr.done('completion', 'fish')
  expect(fish).toContain('$typed[1] completion offer -- $typed[2..-1] "$current"')
  expect(fish).toContain("complete -c keymgr -f -a '(__keymgr_offers)'")
  for (const script of [zsh, fish, bash]) expect(script).not.toContain('undefined')
})

test('bash takes the script without a complaint', () => {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: bash, encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})
