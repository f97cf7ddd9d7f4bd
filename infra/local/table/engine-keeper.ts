/**
 * A small process between the deployment and its table engine: `node engine-keeper.ts <command> [argument ...]`.
 * Without it, an engine would outlive a `kill -9` of its parent. The deployment holds the keeper's stdin open as a
 * pipe; the system closes it however the deployment ends, and the keeper then ends the engine. It prints the engine's
 * process id on stdout, as one line.
 */
import { spawn } from 'node:child_process'

/** Time for the engine to write back its log before it is killed. Answered writes are safe either way. */
const GRACE_MS = 3000

process.umask(0o077) // the engine's files are for their owner alone, also where their folder is not

const [command = '', ...parameters] = process.argv.slice(2)
const engine = spawn(command, parameters, { stdio: ['ignore', 'ignore', 'inherit'] })

let ending = false
const end = () => {
  if (ending) return
  ending = true
  engine.kill('SIGTERM')
  setTimeout(() => engine.kill('SIGKILL'), GRACE_MS).unref()
}

engine.on('error', (error) => {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
  process.stdin.destroy()
})
engine.on('exit', (code) => {
  process.exitCode = ending ? 0 : (code ?? 1)
  process.stdin.destroy()
})
process.stdout.on('error', end) // the deployment has ended
process.stderr.on('error', end)
process.stdin.on('end', end).on('error', end).resume()
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, end)
if (engine.pid !== undefined) process.stdout.write(`${engine.pid}\n`)
