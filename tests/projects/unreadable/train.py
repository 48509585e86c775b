from unsloth import FastLanguageModel
import trl

print "Python 2"
