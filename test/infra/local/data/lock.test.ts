import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { takeLock } from '../../../../infra/local/data/lock.ts'
import { identify } from '../../../../infra/local/data/processes.ts'
import { temporaryFolder } from '../deployment-support.ts'

const folder = temporaryFolder()
afterAll(() => fs.rmSync(folder, { recursive: true }))

const idle = () => spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' })
const pidOf = ({ pid }: { pid?: number | undefined }): number => {
  if (pid === undefined) throw new Error('It did not start.')
  return pid
}

test('a lock is held until it is released, and refused meanwhile', () => {
  const file = path.join(folder, 'held')
  const lock = takeLock(file)
  expect(() => takeLock(file)).toThrow(/in use by another running instance/)
  lock.release()
  expect(fs.existsSync(file)).toBe(false)
  takeLock(file).release()
})

test('an engine that outlived its starter and its keeper is ended before the lock is acquired', async () => {
  const file = path.join(folder, 'left')
  const engine = idle()
  const ended = once(engine, 'exit')
  fs.writeFileSync(file, JSON.stringify({ pid: 4_000_000, started: 'gone', engine: identify(pidOf(engine)) }))
  const lock = takeLock(file)
  expect(await ended).toEqual([null, 'SIGKILL'])
  lock.release()
})

test('another process with the engine’s old id is not ended', () => {
  const file = path.join(folder, 'innocent')
  const innocent = idle()
  const engine = { pid: pidOf(innocent), started: 'another boot/1' }
  fs.writeFileSync(file, JSON.stringify({ pid: 4_000_000, started: 'gone', engine }))
  takeLock(file).release()
  expect(innocent.exitCode ?? innocent.signalCode).toBeNull()
  expect(() => identify(engine.pid)).not.toThrow()
  innocent.kill('SIGKILL')
})

test('releasing keeps a lock of another process', () => {
  const file = path.join(folder, 'elsewhere')
  const lock = takeLock(file)
  fs.writeFileSync(file, JSON.stringify({ pid: 1, started: 'another' }))
  lock.release()
  expect(fs.existsSync(file)).toBe(true)
})
