import unittest

from perch_client import cut_melody


class MelodyTest(unittest.TestCase):
    def test_cuts_after_30_s(self) -> None:
        for head, entry, between, most in (
            ("", "C4:1000", " ", 30),
            ("x:d=4,o=5,b=60:", "c", ",", 30),
            ("d=4,o=5,b=60:", "8c.", ",", 40),
            ("x::", " 8c", ",", 63),
        ):
            self.assertEqual(cut_melody(head + between.join([entry] * 99)), head + between.join([entry] * most))
            for count in (1, most):
                whole = head + between.join([entry] * count)
                self.assertEqual(cut_melody(whole), whole)

    def test_cuts_to_any_length(self) -> None:
        self.assertEqual(cut_melody("C4:200 E4:200 -:100 G4:400", 0.5), "C4:200 E4:200 -:100")
        self.assertEqual(cut_melody("x:d=4,o=5,b=60:c,d=8,d,e,f", 2), "x:d=4,o=5,b=60:c,d=8,d,e")

    def test_leaves_wrong_notes_to_the_service(self) -> None:
        for text in ("", "C4", "x:d=4,o=5,b=60:k,q", "x:d=0,o=5,b=0:c", "x:y:z"):
            self.assertEqual(cut_melody(text), text)


if __name__ == "__main__":
    unittest.main()
