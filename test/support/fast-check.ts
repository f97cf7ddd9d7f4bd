import fc from 'fast-check'

/**
 * Every property is tried with the same cases in each run: a change decides what fails, not the day. Another seed
 * (`KEYMGR_TEST_SEED`) looks further; fast-check prints it with a counterexample.
 */
fc.configureGlobal({ seed: Number(process.env.KEYMGR_TEST_SEED ?? 20_260_101) })

export default fc
